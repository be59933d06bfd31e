/**
 * `npm run bench -- markets [--swaps 100000] [--daos 60] [--days 25] [--step 500] [--order back|forward] [--url postgres://…]`:
 * reads of trades, candles and block ranges on a store of that many swaps of so many days, and what keeping candles
 * costs the writer: newest first, as the first indexing goes, or oldest first. With `--url` on PostgreSQL, else on
 * SQLite.
 *
 * Cold: each read is of rows that no read before it touched. Without: the same steps by a writer that makes neither
 * candles nor makers, in turns with the other.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { ratio } from '../lib/decimal.js'
import { createStepWriter } from '../lib/history/indexing/commit.js'
import { openPostgresStore } from '../lib/history/replicas/sole-writer.js'
import type { LocatedEvent } from '../lib/history/rules/attribution.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import type { Store } from '../lib/history/store/store.js'
import { inputOf, swapEvent } from './support/swap-event.js'
import { withoutRollups } from './support/without-rollups.js'

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    swaps: option('100000'),
    daos: option('60'),
    step: option('500'),
    days: option('25'),
    order: option('back'),
    url: { type: 'string' }
  }
})
const [swaps, daos, step, days] = [
  values.swaps, values.daos, values.step, values.days
].map(Number) as [number, number, number, number]
const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const VALUATION = { rate: ratio(5n, 1000n), basis: 'input' as const }
const BEGIN = 1_767_225_600
const LENGTH = days * 86_400

/** Swap number `index`: one a slot, the DAOs in turn. */
function eventOf (index: number): LocatedEvent {
  const seq = BigInt(Math.floor(index / daos) + 1)
  return {
    signature: `${index}`.padStart(88, 'signature'),
    slot: index,
    blockIndex: index % 1000,
    event: swapEvent({
      slot: index,
      at: BEGIN + Math.floor(index * LENGTH / swaps),
      seq,
      dao: `dao${index % daos}`,
      fees: seq * 5000n,
      reserves: { quote: 10n ** 12n + inputOf(index), base: 10n ** 15n }
    })
  }
}

const folders: string[] = []
const schemas: string[] = []
async function open (): Promise<Store> {
  if (values.url === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-markets-'))
    folders.push(folder)
    return await openSqliteStore({ folder, program: PROGRAM })
  }
  const schema = `bench_${process.pid}_${schemas.length}`
  schemas.push(schema)
  const url = new URL(values.url)
  url.searchParams.set('schema', schema)
  return await openPostgresStore({ url: url.href, program: PROGRAM })
}

async function measure (work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

const show = (what: string, samples: number[]) => {
  const sorted = [...samples].sort((a, b) => a - b)
  console.log(
    `${what}: ${sorted[Math.floor(sorted.length / 2)]!.toFixed(2)} ms of CPU, the first ${samples[0]!.toFixed(2)}, ` +
      `at most ${sorted.at(-1)!.toFixed(2)}`
  )
}

const [kept, bare] = [await open(), await open()]
try {
  const runs = await Promise.all([kept, bare].map(async store => {
    return {
      store,
      writer: await createStepWriter(store === kept ? store : withoutRollups(store), VALUATION, () => {}),
      ms: 0,
      cpu: 0
    }
  }))
  for (let done = 0; done < swaps; done += step) {
    const from = values.order === 'back' ? Math.max(swaps - done - step, 0) : done
    const events = Array.from({ length: Math.min(step, swaps - from) }, (_, at) => eventOf(from + at))
    for (const run of runs.reverse()) {
      const begun = performance.now()
      run.cpu += await measure(() => run.writer.commit({ events }))
      run.ms += performance.now() - begun
    }
  }
  const [withRollups, without] = [kept, bare].map(
    store => runs.find(run => run.store === store)!
  ) as [typeof runs[0], typeof runs[0]]
  const rate = (ms: number) => Math.round(swaps / ms * 1000)
  console.log(
    `${swaps} swaps in steps of ${step}: ${rate(withRollups.ms)}/s with candles, ${rate(without.ms)}/s without, ` +
      `ratio ${(without.ms / withRollups.ms).toFixed(2)}; ` +
    `of CPU ${rate(withRollups.cpu)}/s and ${rate(without.cpu)}/s, ratio ${(without.cpu / withRollups.cpu).toFixed(2)}`
  )

  const [trades, candles, ranges]: [number[], number[], number[]] = [[], [], []]
  for (let at = 0; at < Math.min(daos, 20); at++) {
    const dao = `dao${at}`
    trades.push(
      await measure(async () => await kept.trades({ dao, limit: 1000, before: BigInt(Math.floor(swaps / daos / 2)) }))
    )
    candles.push(await measure(
      async () => await kept.candlesOf(dao, 'hours', { from: BEGIN, to: BEGIN + LENGTH / 2, limit: 1000 })
    ))
    const slot = Math.floor(swaps / 20) * at
    ranges.push(await measure(async () => await kept.poolEvents({ from: slot, to: slot + 999, limit: 10_000 })))
  }
  show('1,000 trades', trades)
  show('1,000 candles of an hour', candles)
  show('1,000 slots with 1,000 events', ranges)
} finally {
  for (const store of [kept, bare]) await store.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  if (schemas.length > 0) {
    const client = new pg.Client({ connectionString: values.url })
    await client.connect()
    for (const schema of schemas) await client.query(`drop schema if exists "${schema}" cascade`)
    await client.end()
  }
}
