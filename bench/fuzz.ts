import { parseArgs } from 'node:util'
import { fuzz } from '../test/system/reliability/fuzz.js'

/**
 * Damaged accounts, events and JSON answers through every decoder and reader: no crash, no hang, no memory that grows,
 * every failure typed. `tsx bench/fuzz.ts [--runs N] [--seed S]`; with `NODE_OPTIONS=--expose-gc` the memory is that
 * after a collection.
 */

const { values } = parseArgs({ options: { runs: { type: 'string', default: '2000000' }, seed: { type: 'string' } } })
const runs = Number(values.runs)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const megabytes = (): number => {
  globalThis.gc?.()
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20)
}

console.log(`seed ${seed}, ${runs} runs`)
const begun = performance.now()
const heap: number[] = []
const { outcomes, slowestMs, slowest, untyped } = await fuzz({ runs, seed, onProgress: () => heap.push(megabytes()) })
const counts: Record<string, number> = {}
for (const [key, count] of outcomes) {
  const outcome = key.split(': ').at(-1)!
  counts[outcome] = (counts[outcome] ?? 0) + count
}
console.table(Object.fromEntries(outcomes))
console.log(`${runs} runs in ${Math.round((performance.now() - begun) / 1000)} s:`, counts)
console.log(`slowest ${slowestMs.toFixed(1)} ms (${slowest})`)
console.log(`heap in MB, every 100,000 runs: ${heap.join(' ')}`)
for (const error of untyped.slice(0, 10)) console.error(error)
if (untyped.length > 0 || slowestMs > 1_000) {
  console.error(`FAILED: ${untyped.length} untyped errors, slowest ${slowestMs} ms`)
  process.exitCode = 1
}
