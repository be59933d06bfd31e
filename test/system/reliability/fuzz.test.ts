import { test } from 'tap'
import { fuzz } from './fuzz.js'

test('20,000 damaged accounts, events and answers: no crash, no hang, every failure typed', async t => {
  const seed = Number(process.env.FUZZ_SEED ?? 1)
  t.comment(`seed ${seed}`)
  const { untyped, slowestMs, slowest, outcomes } = await fuzz({ runs: 20_000, seed })
  t.same(untyped.slice(0, 5), [])
  t.ok(slowestMs < 5_000, `the slowest, ${slowest}, took ${Math.round(slowestMs)} ms`)
  for (const target of new Set([...outcomes.keys()].map(key => key.split(': ').slice(0, -1).join(': ')))) {
    t.comment(
      [...outcomes].filter(([key]) => key.startsWith(`${target}: `)).map(([key, count]) => `${key} ${count}`).join(', ')
    )
  }
})
