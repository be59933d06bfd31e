/**
 * The indexer against a simulated chain in a process of its own, and readings of what it stored.
 *
 * - `npm run bench -- history --candles [--swaps 20000] [--daos 20] [--rounds 5]`: the indexer with candles, days'
 *   highs and lows and makers against one without, in turns
 * - `npm run bench -- history --refresh [--sizes 10000,100000] [--daos 500] [--days 365]`: CPU of a reading of all
 *   DAOs' last 24 hours, the first and the next
 */
import { setTimeout } from 'node:timers/promises'
import { createHistoryReader } from '../lib/chain/transactions.js'
import { createNodeClient } from '../lib/chain/nodes.js'
import { createHistory } from '../lib/history/history.js'
import { createStepWriter } from '../lib/history/indexing/commit.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import type { Store } from '../lib/history/store/create-store.js'
import { createVolumes } from '../lib/history/volumes/volumes.js'
import { type ServedMarket, spawnMarket } from '../simulator/spawn.js'
import { costOf, median } from './support/measure.js'
import { options, scratchFolder } from './support/run.js'
import { inputOf, PROGRAM, swapEvent, VALUATION } from './support/swap-event.js'
import { withoutRollups } from './support/without-rollups.js'

const values = options({
  swaps: 20_000, daos: 0, candles: false, rounds: 5, refresh: false, days: 365, sizes: '10000,100000'
})
const SIZES = values.sizes.split(',').map(Number)
const DAY = 86_400

interface Indexed { events: number, ms: number, cpu: number }

/** Indexes a chain into a new store, which `change` may alter. Throws where anything is missing in the end. */
async function index (chain: ServedMarket, change: (store: Store) => Store = store => store): Promise<Indexed> {
  const opened = await openSqliteStore({ folder: scratchFolder(), program: chain.program })
  const client = createNodeClient({ urls: [chain.url] })
  const history = createHistory({
    reader: createHistoryReader(client),
    store: change(opened),
    program: chain.program,
    daos: async () => ({ slot: Number.MAX_SAFE_INTEGER, time: 0, daos: [] }),
    ...VALUATION,
    time: client.time,
    onLog: ({ level, message }) => { if (level !== 'info') console.log(`${level}: ${message}`) }
  })
  const { cpu, ms } = await costOf(async () => {
    history.start()
    while (!history.status().complete) await setTimeout(10)
  })
  const { swaps, events, missingTransactions, missingEvents } = history.status()
  await history.stop()
  await opened.close()
  client.close()
  if (swaps !== chain.swaps || missingTransactions > 0) {
    throw new Error(`${swaps} of ${chain.swaps} swaps, ${missingTransactions} missing, ${missingEvents} sequence gaps`)
  }
  return { events, ms, cpu }
}

async function candles (): Promise<void> {
  const chain = await spawnMarket('--daos', String(values.daos || 20), '--swaps', String(values.swaps))
  try {
    await index(chain)   // warms up
    const [withCandles, without]: [Indexed[], Indexed[]] = [[], []]
    for (let round = 0; round < values.rounds; round++) {
      withCandles.push(await index(chain))
      without.push(await index(chain, withoutRollups))
    }
    const compared = (of: (run: Indexed) => number): string => {
      const [ours, theirs] = [withCandles, without].map(runs => median(runs.map(of))) as [number, number]
      return `${Math.round(ours)} ms with candles, ${Math.round(theirs)} without, ratio ${(theirs / ours).toFixed(2)}`
    }
    console.log(
      `${chain.transactions} transactions, ${withCandles[0]!.events} events, median ` +
        `of ${values.rounds}: ${compared(({ ms }) => ms)}; CPU ${compared(({ cpu }) => cpu)}`
    )
  } finally {
    await chain.stop()
  }
}

const [BEGIN, DAYS] = [1_767_225_600, values.days]

/** A store of `size` swaps of `daos` DAOs over so many days. */
async function fill (size: number, daos: number): Promise<Store> {
  const store = await openSqliteStore({ folder: scratchFolder(), program: PROGRAM })
  const writer = await createStepWriter(store, VALUATION, () => {})
  const seqs = new Array<bigint>(daos).fill(0n)
  const fees = new Array<bigint>(daos).fill(0n)
  for (let from = 0; from < size; from += 2000) {
    const events = Array.from({ length: Math.min(2000, size - from) }, (_, at) => {
      const slot = from + at
      const [dao, input] = [slot % daos, inputOf(slot)]
      fees[dao]! += input - input * 995n / 1000n
      const event = swapEvent({
        slot,
        at: BEGIN + Math.floor(slot * DAYS * DAY / size),
        seq: ++seqs[dao]!,
        dao: `dao${dao}`,
        fees: fees[dao]!,
        reserves: null
      })
      return { event, signature: `signature of transaction ${slot} of the store that is read here`, slot }
    })
    await writer.commit({ events })
  }
  return store
}

async function refresh (): Promise<void> {
  const daos = values.daos || 500
  const costs: number[] = []
  const stores = await Promise.all(SIZES.map(async size => ({ size, store: await fill(size, daos) })))
  const end = BEGIN + DAYS * DAY
  const runs = await Promise.all(stores.map(async ({ size, store }) => {
    const { sequenceRanges } = await store.load()
    const known = {
      sequenceRanges,
      unreadable: new Map(),
      sequenceGaps: new Map(),
      numbersAhead: new Map(),
      numbersBefore: new Map(),
      missingOwners: { slot: 0, owners: {} },
      verifiedTo: { slot: Infinity, time: 0 },
      missing: new Map(),
      losses: [],
      indexedRanges: [],
      ended: true,
      isLost: () => false
    }
    return { size, volumes: createVolumes(store, VALUATION), known, first: 0, samples: [] as number[], trades: 0 }
  }))
  // In the last hours, read every ten seconds as a service would
  for (let at = 0; at < 1000; at++) {
    for (const run of runs) {
      const { cpu, value: found } = await costOf(() => run.volumes.last24h(end - 10_000 + at * 10, run.known))
      if (at === 0) run.first = cpu
      else run.samples.push(cpu)
      run.trades = Math.max(run.trades, [...found.values()].reduce((sum, { trades }) => sum + trades, 0))
    }
  }
  for (const { size, first, samples, trades } of runs) {
    const mean = samples.reduce((sum, one) => sum + one, 0) / samples.length
    costs.push(mean)
    console.log(
      `${size} swaps stored, ${trades} in the last 24 hours, ${daos} DAOs: ${first.toFixed(1)} ms of CPU for the ` +
        `first reading, ${mean.toFixed(3)} ms for each that follows`
    )
  }
  console.log(`ratio ${(costs.at(-1)! / costs[0]!).toFixed(2)}`)
  for (const { store } of stores) await store.close()
}

if (values.refresh) await refresh()
if (values.candles) await candles()
