import { test } from 'tap'
import { fuzz } from './fuzz.js'

/** RUNS=1500000 damages as many as one wishes to wait for, and watches the memory; see docs/reliability.md. */
const RUNS = Number(process.env.RUNS ?? 20_000)

test(`${RUNS} damaged accounts, events and answers: no crash, no hang, every failure typed`, async t => {
  const seed = Number(process.env.FUZZ_SEED ?? 1)
  t.comment(`seed ${seed}`)
  const heap: number[] = []
  const onProgress = () => {
    globalThis.gc?.()
    heap.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20))
  }
  const { untyped, slowestMs, slowest, outcomes } = await fuzz({ runs: RUNS, seed, onProgress })
  if (heap.length > 0) t.comment(`heap in MB, every 100,000 runs: ${heap.join(' ')}`)
  t.same(untyped.slice(0, 5), [])
  t.ok(slowestMs < 5_000, `the slowest, ${slowest}, took ${Math.round(slowestMs)} ms`)
  for (const target of new Set([...outcomes.keys()].map(key => key.split(': ').slice(0, -1).join(': ')))) {
    t.comment(
      [...outcomes].filter(([key]) => key.startsWith(`${target}: `)).map(([key, count]) => `${key} ${count}`).join(', ')
    )
  }
})
