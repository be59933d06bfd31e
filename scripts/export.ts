/**
 * Writes stored trades, candles or days to a file. It only reads, and may run beside the service. Amounts are there as
 * raw units and in whole tokens, prices in quote tokens per base token. Days are UTC, both included. What the pools
 * trade, and what is complete, is asked of the service at `--url`.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Trade } from '../lib/history/rules/rows.js'
import { INTERVALS, type Interval } from '../lib/history/volumes/reading.js'
import { readDay } from '../lib/query.js'
import { DAY } from '../lib/time.js'
import type { Pools } from '../schemas/pools.js'
import { httpUrl, readCommandLine, redraw, runScript, texts, UsageError } from './command-line.js'
import { openReader } from './open-engine.js'
import { barsOf, BAR_COLUMNS, type PoolFacts, TRADE_COLUMNS, tradeRow } from './export/rows.js'
import { type Cells, writeFile } from './export/sinks.js'

const PAGE = 2000
const KINDS = ['trades', 'candles', 'days']
const FORMATS = ['csv', 'ndjson', 'parquet']
const SERVICE = 'http://127.0.0.1:3000'
const USAGE =
  `export --what ${KINDS.join('|')} --format ${FORMATS.join('|')} --out FILE [--pool ADDRESS] ` +
  `[--interval ${Object.keys(INTERVALS).join('|')}] ` +
  `[--from YYYY-MM-DD] [--to YYYY-MM-DD] [--store sqlite:FOLDER|postgres://…] [--url ${SERVICE}]`

function day (text: string | undefined, name: string): number | undefined {
  const found = text === undefined ? undefined : readDay(text)
  if (text !== undefined && found === undefined) throw new UsageError(`--${name}: a UTC day, YYYY-MM-DD, as 2026-01-31`)
  return found
}

/** What is told of the listed pools; says so where nobody answers: then raw amounts are all there is. */
async function factsOf (url: URL): Promise<ReadonlyMap<string, PoolFacts>> {
  const answer = await fetch(new URL('/api/pools', url)).catch(() => undefined)
  const pools = answer?.status === 200 ? await answer.json().catch(() => undefined) as Pools | undefined : undefined
  if (!Array.isArray(pools)) {
    process.stderr.write(
      `no list of pools from ${url.origin} (${answer?.status ?? 'no answer'}): mints, symbols, decimals, prices, ` +
        'whole tokens and what is complete stay empty. --url names a running service\n'
    )
    return new Map()
  }
  const to = Date.parse(answer!.headers.get('x-chain-time')!) / 1000
  return new Map(pools.map(({ pool_id: id, base, quote, complete_since: since }) =>
    [id, { base, quote, from: since === null ? -Infinity : Date.parse(since) / 1000, to }]))
}

const { values } = readCommandLine(
  USAGE, texts('what', 'format', 'from', 'to', 'out', 'store', 'pool', 'interval', 'url')
)

await runScript(async signal => {
  const { what = '', format = '', out, store: place = 'sqlite:./data', pool, interval = '1h' } = values
  const length = what === 'days' ? DAY : Object.hasOwn(INTERVALS, interval) && INTERVALS[interval as Interval]
  if (!KINDS.includes(what) || !FORMATS.includes(format) || out === undefined || length === false) {
    throw new UsageError(USAGE)
  }
  const [from, to] = [day(values.from, 'from') ?? 0, day(values.to, 'to') ?? 100_000]
  if (from > to) throw new UsageError('--from is after --to')
  if (!existsSync(dirname(out))) throw new UsageError(`--out ${out}: there is no folder ${dirname(out)}`)
  const url = httpUrl('url', values.url ?? SERVICE)
  const store = await openReader(place)
  try {
    const all = [...(await store.load()).sequenceRanges.keys()].sort()
    const daos = pool === undefined ? all : all.filter(dao => dao === pool)
    if (daos.length === 0 && pool !== undefined) throw new UsageError(`--pool ${pool}: the store has no event of it`)
    const facts = await factsOf(url)
    let [read, rows] = [0, 0]
    await writeFile(out, format, what === 'trades' ? TRADE_COLUMNS : BAR_COLUMNS, async put => {
      const write = async (cells: Cells[]): Promise<void> => {
        rows += cells.length
        await put(cells)
      }
      for (const [at, dao] of daos.entries()) {
        const bars = barsOf(dao, facts.get(dao), length, what === 'days')
        for (let before: bigint | undefined; ;) {
          signal.throwIfAborted()
          const trades: Trade[] = await store.trades({
            dao, since: from * DAY, until: (to + 1) * DAY - 1, limit: PAGE, ...(before !== undefined && { before })
          })
          read += trades.length
          await write(what === 'trades' ? trades.map(trade => tradeRow(trade, facts.get(dao))) : bars.take(trades))
          redraw(process.stderr, `${read} trades read, pool ${at + 1} of ${daos.length}`)
          if (trades.length < PAGE) break
          before = trades.at(-1)!.seq
        }
        await write(bars.end())
      }
    })
    redraw(process.stderr, '')
    process.stderr.write(`${rows} ${what} written to ${out}\n`)
  } finally {
    await store.close()
  }
}, { interrupted: 'nothing is written.' })
