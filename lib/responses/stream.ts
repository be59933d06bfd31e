/** A stream of finalized trades, in the order of the chain, and of tickers and proposals that change. */
import { createTurns, eachInSlices } from '../async.js'
import { chunks } from '../chunks.js'
import type { Clock } from '../clock.js'
import { isServiceError, orUnknown } from '../errors.js'
import type { ChainPosition, Trade } from '../history/history.js'
import { type EventStream, message } from '../http/event-stream.js'
import type { Kept } from '../live/fresh.js'
import { ifKnown } from '../market/pool-figures.js'
import { HOUR, timeText } from '../time.js'
import { latest, positionOf } from './forms/block-range.js'
import { tradeRow } from './pool-history.js'
import type { Known } from './proposals.js'
import { formOf, noPool, noProposal, poolTokens, type Sources, withAge } from './sources.js'
import type { TickerList } from './tickers.js'

export const STREAM_TYPES = ['trade', 'ticker', 'proposal'] as const
export type StreamType = typeof STREAM_TYPES[number]

interface StreamAsked {
  types: ReadonlySet<StreamType>
  /** Followed pools and proposals; undefined: all, or the proposals of these pools. */
  pools: ReadonlySet<string> | undefined
  proposals: ReadonlySet<string> | undefined
  /** The event behind which it resumes; undefined: from now on. */
  after: ChainPosition | undefined
}

type Listener = Pick<EventStream, 'write' | 'drained' | 'isOpen'>

interface StreamOptions {
  sources: Sources
  clock: Clock
  tickers: Kept<TickerList>
  proposals: Kept<Known[]>
  /** Told of errors that are no ServiceError. */
  onError: (error: unknown) => void
}

/** Between two looks for news, ms. */
const LOOK_MS = 1_000
/** Between two heartbeats, ms. */
const BEAT_MS = 15_000
/** Events read at once. */
const PAGE = 500
/** Messages written at once. */
const TEXTS = 50
/** How late trades may be told, s: while nobody follows, block ranges are up to 50 s behind. */
const LATE = 75
/** How far back a stream can be resumed, s. */
const REACH = HOUR
/** Slots beyond what is known from which on a position is none of ours. */
const AHEAD = 10_000

/** Behind everything of its slot. */
const END = 2 ** 31 - 1

const endOf = (slot: number): ChainPosition => ({ slot, blockIndex: END, eventIndex: 0 })

const isBehind = (a: ChainPosition, b: ChainPosition) =>
  (a.slot - b.slot || a.blockIndex - b.blockIndex || a.eventIndex - b.eventIndex) > 0

const idOf = ({ slot, blockIndex, eventIndex }: ChainPosition) => `${slot}-${blockIndex}-${eventIndex}`

/** Of an id in the stream; undefined: it is none. */
export function positionOfId (id: string): ChainPosition | undefined {
  const parts = /^(\d{1,12})-(\d{1,10})-(\d{1,10})$/.exec(id)?.slice(1).map(Number)
  const [slot = NaN, blockIndex = NaN, eventIndex = NaN] = parts ?? []
  return blockIndex <= END && eventIndex <= END ? { slot, blockIndex, eventIndex } : undefined
}

/** Trades since a Unix second are not told, but in pages. */
const gap = (since: number | undefined, position?: ChainPosition) => message(
  'gap', { since: ifKnown(since, timeText), pages: '/api/pools/{pool_id}/trades' }, position && idOf(position)
)

/** A comment that moves the id on, so that who resumes need not replay what did not concern him. */
const mark = (position: ChainPosition) => `: here\nid: ${idOf(position)}\n\n`

interface Told { text: string, pool: string, proposal?: string }
interface ToldTrade extends Told { position: ChainPosition }
/** Of a list, by pool or proposal. */
type Texts = ReadonlyMap<string, Told>
const NOTHING: Texts = new Map()
const LISTS = ['ticker', 'proposal'] as const
type List = typeof LISTS[number]

interface Follower {
  asked: StreamAsked
  listener: Listener
  after: ChainPosition
  /** Told that trades are held back. */
  isKept: boolean
  /** What has been told of a list; undefined where that is not asked for, and while it is being told. */
  told: Partial<Record<List, Texts | undefined>>
}

const isAsked = ({ asked: { pools, proposals } }: Follower, { pool, proposal }: Told) =>
  (proposal === undefined ? undefined : proposals?.has(proposal)) ?? pools?.has(pool) ?? true

export function createStream ({ sources, clock, tickers, proposals, onError }: StreamOptions) {
  const { history, settings: { excluded }, snapshot: snapshots, time } = sources
  const followers = new Set<Follower>()
  const inTurn = createTurns()
  /** The slot up to which all followers have been told. */
  let told = 0
  let isLooking = false

  const publishedSlot = async (): Promise<number> => (await latest(history)).slot

  /** Published trades behind a position, in pages, each up to slot `to`; `oldest`: Unix second of its first event. */
  async function * pagesAfter (after: ChainPosition) {
    for (let isLast = false; !isLast;) {
      const to = await publishedSlot()
      if (after.slot > to) return
      const events = await history.published(reading =>
        reading.poolEvents({ from: after.slot, to, after, limit: PAGE }))
      const trades: ToldTrade[] = []
      for (const event of events) {
        const [pool, position] = [event.dao, positionOf(event)]
        after = position
        if (event.swap === null || excluded.has(pool)) continue
        const tokens = await poolTokens(snapshots, pool, event.slot)
        if (tokens === undefined) continue
        const row = tradeRow(event as Trade, { address: pool, ...tokens })
        trades.push({ pool, position, text: message('trade', { pool_id: pool, ...row }, idOf(position)) })
      }
      yield { trades, to, oldest: events[0]?.at }
      isLast = events.length < PAGE
    }
  }

  function moveOn (follower: Follower, slot: number): void {
    if (isBehind(endOf(slot), follower.after)) follower.after = endOf(slot)
  }

  function tell (follower: Follower, trades: readonly ToldTrade[]): void {
    let texts = ''
    for (const trade of trades) {
      if (!isBehind(trade.position, follower.after)) continue
      follower.after = trade.position
      if (follower.asked.types.has('trade') && isAsked(follower, trade)) texts += trade.text
    }
    if (texts) follower.listener.write(texts)
  }

  /** Tells all followers what has been published since the last look. */
  async function lookForTrades (): Promise<void> {
    let upTo = told
    for await (const { trades, to } of pagesAfter(endOf(told))) {
      await eachInSlices(followers, one => tell(one, trades))
      upTo = to
    }
    told = upTo
    for (const follower of followers) moveOn(follower, told)
    await lookForKept()
  }

  /** Tells once that stored trades are held back for too long, as by a transaction that is not given. */
  async function lookForKept (): Promise<void> {
    const kept = await history.published(reading =>
      reading.poolEvents({ from: told + 1, to: Number.MAX_SAFE_INTEGER, limit: PAGE }))
    const first = kept.find(({ dao }) => !excluded.has(dao))
    const isKept = first !== undefined && history.head().time - first.at > LATE
    for (const follower of followers) {
      if (isKept && !follower.isKept && follower.asked.types.has('trade')) follower.listener.write(gap(first.at))
      follower.isKept = isKept
    }
  }

  const lists: Record<List, Kept<Texts>> = {
    ticker: formOf(tickers, ({ tickers }) => new Map(tickers.map(ticker =>
      [ticker.pool_id, { text: message('ticker', ticker), pool: ticker.pool_id }]))),
    proposal: formOf(proposals, known => new Map(known.map(one => {
      const { address: proposal, dao, number, state } = one.proposal
      return [proposal, { text: message('proposal', { proposal, dao, number, state }), pool: dao, proposal }]
    })))
  }

  /** Who resumes, or comes while a list can't be read, will be told all of it, others what changes from now on. */
  async function beginLists ({ asked, told }: Follower): Promise<void> {
    for (const type of LISTS) {
      if (!asked.types.has(type)) continue
      const known = asked.after === undefined ? await orUnknown(lists[type]([])) : undefined
      told[type] = known ?? NOTHING
    }
  }

  /** As fast as it is taken: a thousand may come at once. */
  async function tellList (follower: Follower, type: List, changed: readonly Told[], texts: Texts): Promise<void> {
    const { listener, told } = follower
    told[type] = undefined
    for (const some of chunks(changed.filter(one => isAsked(follower, one)), TEXTS)) {
      listener.write(some.map(({ text }) => text).join(''))
      if (some.length === TEXTS) await listener.drained()
      if (!listener.isOpen) return
    }
    told[type] = texts
  }

  /** Tells what has changed in a list. */
  async function lookForChanges (type: List): Promise<void> {
    const listening = [...followers].filter(({ told }) => told[type] !== undefined)
    if (listening.length === 0) return
    const { value: texts, left } = await withAge(sources, lists[type])
    // a message can't say that its state is old
    if (left === 0) return
    /** By what was told last, nearly the same to all. */
    const changes = new Map<Texts, Told[]>([[texts, []]])
    for (const follower of listening) {
      const last = follower.told[type]!
      const changed = changes.get(last) ??
        [...texts].filter(([key, { text }]) => last.get(key)?.text !== text).map(([, one]) => one)
      changes.set(last, changed)
      tellList(follower, type, changed, texts).catch(onError)
    }
  }

  /** What can't be read now is told once it can. */
  async function look (what: () => Promise<void>): Promise<void> {
    await inTurn(what).catch((error: unknown) => { if (!isServiceError(error)) onError(error) })
  }

  /** Looks, and sends heartbeats, while anybody follows. */
  async function lookOn (): Promise<void> {
    const looks = [lookForTrades, ...LISTS.map(type => () => lookForChanges(type))]
    // beside the looks, which may wait for a node
    let endBeat = clock.after(BEAT_MS, function beat () {
      for (const { listener, after } of followers) listener.write(mark(after))
      endBeat = clock.after(BEAT_MS, beat)
    })
    isLooking = true
    do {
      for (const what of looks) await look(what)
      await clock.sleep(LOOK_MS)
      for (const follower of followers) if (!follower.listener.isOpen) followers.delete(follower)
    } while (followers.size > 0)
    isLooking = false
    endBeat()
  }

  /** Tells what was missed, as fast as it is read. */
  async function replay (follower: Follower): Promise<void> {
    const { listener, after } = follower
    const reach = time.utc() / 1000 - REACH
    const newest = await publishedSlot()
    function skip (since?: number): void {
      follower.after = endOf(newest)
      listener.write(gap(since, follower.after))
    }
    if (after.slot > newest + AHEAD) return skip()
    // with what is published meanwhile, which a slow reader would have to take at once
    for await (const { trades, oldest } of pagesAfter(after)) {
      if (oldest !== undefined && oldest < reach) return skip(oldest)
      tell(follower, trades)
      await listener.drained()
      if (!listener.isOpen) return
    }
  }

  return {
    /** Throws POOL_NOT_FOUND and PROPOSAL_NOT_FOUND for what is not listed. */
    async check ({ pools, proposals: asked }: StreamAsked) {
      const { daos } = await snapshots.get([])
      for (const pool of pools ?? []) if (!daos.has(pool)) throw noPool(pool)
      if (asked === undefined) return
      const known = new Set((await proposals([])).map(({ proposal }) => proposal.address))
      for (const one of asked) if (!known.has(one)) throw noProposal(one)
    },

    /** Tells what is asked for until the listener has gone. Rejects where it can't begin. */
    async follow (asked: StreamAsked, listener: Listener) {
      const after = asked.types.has('trade') ? asked.after : undefined
      const follower: Follower = { asked, listener, after: after ?? endOf(0), isKept: false, told: {} }
      if (after) await replay(follower)
      // between two looks, so that all have been told the same
      await inTurn(async () => {
        // without followers nobody looked
        if (followers.size === 0) told = await publishedSlot()
        // only for who resumes: thousands may join in a second
        if (after) for await (const { trades } of pagesAfter(follower.after)) tell(follower, trades)
        moveOn(follower, told)
        listener.write(mark(follower.after))
        followers.add(follower)
        beginLists(follower).catch(onError)
        if (!isLooking) lookOn().catch(onError)
      })
    }
  }
}
