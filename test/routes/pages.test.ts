import { setTimeout as wait } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { FastifyInstance } from 'fastify'
import type { Trades } from '../../schemas/traded.js'
import type { Dao, Ledger, SimulatedNode, SpotSwap } from '../../simulator/index.js'
import { newPlace, withoutPostgres } from '../support/history/postgres.js'
import { build, goOn, historyComplete, settings, startChain, until } from '../helper.js'

/** Trades that arrive while others are paged through; so many on the other engine too where it is asked for. */
const ARRIVING = Number(process.env.ARRIVING ?? 1000)
const ARRIVING_POSTGRES = Number(process.env.ARRIVING ?? 250)
const [BEFORE, AT_ONCE] = [300, 40]

interface Query { limit?: number, before?: string, since?: number, until?: number }
/** What a client's questions are limited to. */
type Filter = Pick<Query, 'since' | 'until'>

/**
 * A client that takes nothing on trust: each page must be what the ledger has at that place, no trade more, none less.
 */
function createClient (t: Test, app: FastifyInstance, ledger: Ledger, dao: Dao, limit: number | undefined) {
  const swapsOf = ({ before, since = 0, until = Infinity }: Query) => ledger.swaps
    .filter(({ dao: of, seq, time }) =>
      of === dao.address && time >= since && time <= until && (before === undefined || seq < Number(before))).reverse()
  const counts = { pages: 0, refused: 0 }

  async function page (query: Query): Promise<Trades> {
    const given = Object.entries({ ...query, limit }).filter(([, value]) => value !== undefined)
    const url = `/api/pools/${dao.address}/trades?${given.map(([name, value]) => `${name}=${value}`).join('&')}`
    for (;;) {
      const answer = await app.inject(url)
      if (answer.statusCode === 200) {
        counts.pages++
        const rows = answer.json<Trades>()
        const have = swapsOf(query).map(({ seq }) => String(seq))
        // The newest may not have been read yet; what lies behind a trade that was given has
        const begin = query.before !== undefined ? 0 : rows.length === 0 ? have.length : have.indexOf(rows[0]!.trade_id)
        const want = have.slice(begin, begin + (limit ?? 100))
        const found = rows.map(({ trade_id: id }) => id)
        if (found.join() !== want.join()) {
          t.fail(
          `${url}: ${found.filter(id => !want.includes(id)).join()} too much, ` +
            `${want.filter(id => !found.includes(id)).join()} lost`
          )
        }
        return rows
      }
      if (answer.statusCode < 502) throw new Error(`${url}: ${answer.statusCode}`)
      counts.refused++
      await wait(10)
    }
  }

  const isShort = (rows: Trades) => rows.length < (limit ?? 100)

  return {
    counts,
    swapsOf,
    /**
     * All pages from the newest trade down to the first one, or to the trade `known`, which is left out; newest first.
     */
    async back (filter: Filter = {}, known = 0): Promise<number[]> {
      const found: number[] = []
      for (let before: string | undefined; ;) {
        const rows = await page({ ...filter, ...(before !== undefined && { before }) })
        found.push(...rows.map(({ trade_id: id }) => Number(id)).filter(id => id > known))
        if (isShort(rows) || Number(rows.at(-1)!.trade_id) <= known) return found
        before = rows.at(-1)!.trade_id
      }
    }
  }
}

const ids = (swaps: readonly SpotSwap[]) => swaps.map(({ seq }) => seq)

async function market (t: Test, env: Record<string, string>) {
  const { ledger, node } = await startChain(t, { seed: 8 })
  const usdc = ledger.usdc()
  const [dao, other] = [0, 1].map(() => ledger.dao(
    { base: ledger.mint(), quote: usdc, baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }
  )) as [Dao, Dao]
  const { random } = ledger
  let made = 0
  function trade (): void {
    const swap = () => { dao.swap(made++ % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_003 + made)) }
    // Several of one second, of one transaction, and events between them that are no trades
    if (random.next() < 0.2) ledger.transaction(() => { swap(); swap() })
    else swap()
    if (random.next() < 0.1) dao.collectFees()
    if (random.next() < 0.1) other.swap('buy', 5_000_000n)
    if (random.next() < 0.6) ledger.advance(1 + Math.floor(random.next() * 3))
  }
  while (made < BEFORE) trade()
  ledger.advance(30)
  const app = await build(t, {
    bounds: { delay: 60_000 },
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '10000000', STALE_IF_ERROR: '3600', ...env }),
    now: () => ledger.time * 1000,
    pollMs: 5
  })
  await historyComplete(app)
  return { ledger, node, dao, app, trade, made: () => made }
}

/** Between two walks of a client, ms. */
const PAUSE = 250
/** Looks of a follower once all have come: where the machine stalls, an old page is served once more. */
const LAST_LOOKS = 100
/** Looks at which the node was asked for nothing. */
const QUIET = 2
/** Batches of trades from one that comes late to the next. */
const ROUND = 4

/** A node lists transactions that it does not give, or not all that it has: those trades come late. */
function delay (node: SimulatedNode, round: number) {
  return round % 3 === 2
    ? node.fault({ method: 'getSignaturesForAddress', kind: 'short-page', times: 1 })
    : node.fault({ method: 'getTransaction', kind: 'null-transaction', times: 4 + round % 3 })
}

async function pageThrough (t: Test, arriving: number, env: Record<string, string> = {}): Promise<void> {
  const { ledger, node, dao, app, trade, made } = await market(t, env)
  const client = (limit?: number) => createClient(t, app, ledger, dao, limit)
  const begin = ledger.time
  const first = ledger.swaps.findLast(({ dao: of }) => of === dao.address)!.seq
  const middle = ledger.swaps[100]!.time
  const delays: Array<ReturnType<typeof delay>> = []
  let isOver = false

  /**
   * The market's time passes once the service has done what it could: one that runs ahead of a busy machine is past
   * each deadline, and each try comes later than the last.
   */
  async function whole (): Promise<void> {
    let [asked, quiet] = [-1, 0]
    await until('what was late has come', () => {
      quiet = node.requests === asked ? quiet + 1 : 0
      asked = node.requests
      if (quiet >= QUIET) {
        ledger.advance(10)
        quiet = 0
      }
      const { missingTransactions, missingEvents, events } = app.history.status()
      return missingTransactions === 0 && missingEvents === 0 && events === ledger.daos.reduce(
        (sum, { seqNum }) => sum + seqNum, 0
      )
    }, 90_000)
  }

  async function arrive (): Promise<void> {
    for (let batch = 0; made() < BEFORE + arriving; batch++) {
      if (batch % ROUND === ROUND - 3) delays.push(delay(node, Math.floor(batch / ROUND)))
      for (let at = 0; at < AT_ONCE; at++) trade()
      await wait(10)
      if (batch % ROUND === ROUND - 1) await whole()
    }
    node.faults.clear()
    await whole()
    isOver = true
    // what is kept grows too old: by a clock that halts, what was being made as the last came is never made again
    const going = setInterval(() => goOn(app, ledger), PAUSE)
    t.teardown(() => clearInterval(going))
  }

  /** Walks back from the newest trade, again and again, and once more when all have come. */
  async function walker (limit: number | undefined, filter: () => Filter = () => ({})): Promise<void> {
    const { back, swapsOf, counts } = client(limit)
    let rounds = 0
    for (let last = false; !last; rounds++) {
      last = isOver
      const asked = filter()
      const found = await back(asked)
      const want = ids(swapsOf(asked))
      t.same(
        found,
        found.length === 0 ? [] : want.slice(want.indexOf(found[0]!)),
        `limit ${limit}: one walk, from its first trade to the oldest`
      )
      if (last) await until(`limit ${limit}: all are told`, async () => String(await back(asked)) === String(want))
      await wait(PAUSE)
    }
    t.comment(`limit ${limit}: ${rounds} walks, ${counts.pages} pages, ${counts.refused} answers of 503`)
  }

  /**
   * Keeps what is new, as one who follows a market does; `since`, where given, is the second of the newest trade known.
   */
  async function follower (limit: number | undefined, bySeconds: boolean): Promise<void> {
    const { back, swapsOf, counts } = client(limit)
    let wasOver = false
    const known: number[] = []
    const isWhole = (): boolean => known.at(-1) === ids(swapsOf({}))[0]
    for (let looks = 0; looks === 0 || (looks < LAST_LOOKS && !isWhole()); looks += Number(wasOver)) {
      wasOver = isOver
      const newest = known.at(-1) ?? first
      const { time } = ledger.swaps.find(({ dao: of, seq }) => of === dao.address && seq === newest)!
      known.push(...(await back(bySeconds ? { since: time } : {}, newest)).reverse())
      await wait(PAUSE)
    }
    t.same(
      known,
      ids(swapsOf({})).reverse().filter(seq => seq > first),
      `limit ${limit}: every trade that came, once, in its order`
    )
    t.comment(
      `limit ${limit}${bySeconds ? ' by seconds' : ''}: ${known.length} trades followed, ${counts.pages} pages, ` +
        `${counts.refused} answers of 503`
    )
  }

  await Promise.all([
    arrive(),
    walker(1, () => ({ since: ledger.time - 20 })), walker(2, () => ({ since: begin + 20, until: begin + 60 })),
    walker(7, () => ({ until: middle })), walker(37), walker(undefined),
    walker(1000), walker(999, () => ({ since: middle })), follower(1, true), follower(11, false),
    follower(undefined, false), follower(1000, true)
  ])
  t.ok(delays.some(({ fired }) => fired > 0), 'some came late')
  t.equal(made(), ids(client().swapsOf({})).length)
}

test(
  'pages of trades neither repeat nor lose one while a thousand arrive, late ones among them',
  async t => { await pageThrough(t, ARRIVING) }
)

test(
  'the same on PostgreSQL',
  { skip: await withoutPostgres() },
  async t => { await pageThrough(t, ARRIVING_POSTGRES, { DATABASE_URL: newPlace(t).url }) }
)
