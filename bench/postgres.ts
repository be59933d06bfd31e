/**
 * `npm run bench -- postgres [--swaps 50000] [--step 500] [--daos 20] [--url postgres://…]`: indexing into PostgreSQL
 * against SQLite. Both take the same events through the same recorder, in turns, so that what else the machine does
 * falls on both.
 */
import type { LocatedEvent } from '../lib/history/rules/attribution.js'
import { openPostgresStore } from '../scripts/open-engine.js'
import { createStepWriter, type StepWriter } from '../lib/history/indexing/commit.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import type { Store } from '../lib/history/store/create-store.js'
import { costOf } from './support/measure.js'
import { options, scratchFolder } from './support/run.js'
import { dropSchema, withSchema } from './support/schema.js'
import { inputOf, PROGRAM, swapEvent, VALUATION } from './support/swap-event.js'

const { swaps, step: size, daos, url } = options({
  swaps: 50_000, step: 500, daos: 20, url: 'postgres://postgres@127.0.0.1:5432/test'
})

const fees = new Array<bigint>(daos).fill(0n)

/** Swap number `index` of them all. */
function event (index: number): LocatedEvent {
  const [dao, input] = [index % daos, inputOf(index)]
  fees[dao]! += input - input * 995n / 1000n
  return {
    signature: `${index}`.padStart(88, 'signature'),
    event: swapEvent({
      slot: index,
      at: 1_767_225_600 + Math.floor(index * 365 * 86_400 / swaps),
      seq: BigInt(Math.floor(index / daos) + 1),
      dao: `dao${dao}`,
      fees: fees[dao]!,
      reserves: { quote: 10n ** 12n + input, base: 10n ** 15n }
    })
  }
}

interface Run { name: string, store: Store, recorder: StepWriter, ms: number, cpu: number }

async function begin (name: string, store: Store): Promise<Run> {
  return { name, store, recorder: await createStepWriter(store, VALUATION, () => {}), ms: 0, cpu: 0 }
}

const schema = `bench_${process.pid}`
const runs = [
  await begin('SQLite', await openSqliteStore({ folder: scratchFolder(), program: PROGRAM })),
  await begin('PostgreSQL', await openPostgresStore({ url: withSchema(url, schema), program: PROGRAM }))
]
try {
  for (let from = 0; from < swaps; from += size) {
    const events = Array.from({ length: Math.min(size, swaps - from) }, (_, at) => event(from + at))
    for (const run of runs) {
      const { cpu, ms } = await costOf(() => run.recorder.commit({ events }))
      run.ms += ms
      run.cpu += cpu
    }
  }
  for (const { name, ms, cpu, recorder } of runs) {
    if (recorder.state.swaps !== swaps) throw new Error(`${name} holds ${recorder.state.swaps} of ${swaps} swaps`)
    console.log(
      `${name}: ${swaps} swaps in steps ` +
        `of ${size}: ${Math.round(swaps / ms * 1000)}/s, ${(cpu / swaps * 1000).toFixed(1)} µs of this process's ` +
          'CPU per swap'
    )
  }
  const [sqlite, postgres] = runs as [Run, Run]
  console.log(`ratio PostgreSQL : SQLite ${(sqlite.ms / postgres.ms).toFixed(2)}`)
} finally {
  for (const { store } of runs) await store.close()
  await dropSchema(url, schema)
}
