import { type Accounts, type History, isWalked, type Reading, type TradesQuery } from '../history/history.js'
import type { ChainTime } from '../chain/timekeeper.js'
import {
  aged, createFreshCache, dated, type FreshCache, type Kept, type Part, RENEW_FROM, within
} from '../live/fresh.js'
import { type PoolTokens, type Snapshot, tokensOf } from '../live/snapshot.js'
import { wrongWith } from '../live/account-sets.js'
import { divide, powerOfTen } from '../decimal.js'
import { byDepth, poolsByPair } from '../market/ticker.js'
import { baseUsd, createValuation } from '../market/usd.js'
import { badAnswer, type ErrorCode, ServiceError, unusable, warmingUp } from '../errors.js'
import type { Dao } from '../protocol/dao.js'
import { parseKey } from '../protocol/pda.js'
import type { Settings } from '../settings.js'
import { DAY, timeText } from '../time.js'
import { notFound } from '../../schemas/errors.js'

/** The state of all DAOs, kept; read less than `maxAge` ms ago where that is given. */
export type SnapshotCache = FreshCache<Snapshot, [maxAge?: number]>

/** What answers are made of: here alone the state now and the history meet. */
export interface Sources {
  /** The state of all DAOs. */
  snapshot: Pick<SnapshotCache, 'get' | 'peek'>
  /** Throws NODE_BAD_ANSWER where a token that settings value, or a pool that prices it, can't be read. */
  priced: Kept<PricedState>
  history: History
  settings: Settings
  /** Milliseconds, steadily growing. */
  now: () => number
  time: ChainTime
}

/** Lifetime of tickers by the contract, and of all that is made of the same state, ms. */
export const TICKER_TTL = 10_000

/** The state for answers that live as long as tickers: renewed where it would grow old before they do. */
export const stateOf = ({ get }: Sources['snapshot'], parts: Part[]): Promise<Snapshot> =>
  get(parts, TICKER_TTL * RENEW_FROM)

/** For the history to compare with. */
export const accountsOf = ({ slot, listSlot, time, discovered }: Snapshot): Accounts => ({
  slot,
  listSlot,
  time,
  daos: discovered.flatMap(({ dao }) => dao ?? []).map(
    ({ address, seqNum, createdAt, quoteReserves: quote, baseReserves: base }) =>
      ({ address, seqNum, createdAt, reserves: { quote, base } }))
})

/** Throws `code` where a text is no address. */
export function checkAddress (text: string, code: ErrorCode): void {
  if (parseKey(text) === undefined) throw new ServiceError(code, 'no address')
}

export const noDao = (dao: string) => new ServiceError('DAO_NOT_FOUND', notFound('DAO', dao))
export const noPool = (pool: string) => new ServiceError('POOL_NOT_FOUND', notFound('Pool', pool))
export const noProposal = (proposal: string) => new ServiceError('PROPOSAL_NOT_FOUND', notFound('Proposal', proposal))

export type PricedState = Awaited<ReturnType<ReturnType<typeof createPriced>>>

/** The state with what tokens are worth, and pools deepest first; made once for each state. */
export const createPriced = (state: Sources['snapshot'], { usdRules }: Settings) =>
  formOf(parts => stateOf(state, parts), snapshot => {
    const { discovered, pairs, tokens } = snapshot
    const { usdMints, pricedBy } = usdRules
    const pricing = [...pricedBy.values()]
    const lost = [...usdMints, ...pricedBy.keys()].find(mint => tokens.get(mint) === null) ??
      discovered.find(({ address, leftOut }) => leftOut === 'undecodable' && pricing.includes(address))?.address
    if (lost !== undefined) throw badAnswer(`values by the settings need ${lost}, which can't be read`)
    const usd = createValuation(pairs, usdRules)
    const deepest = byDepth(pairs.values(), usd)
    return {
      ...snapshot,
      usd,
      /** Mints that count as 1 USD. */
      usdMints,
      usdPerUnit (mint: string) {
        const [worth, token] = [usd(mint), tokens.get(mint)]
        return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
      },
      /** Of a whole base token of a listed pool. */
      priceUsd: (pool: string) => baseUsd(pairs.get(pool)!, { usd, usdMints }),
      symbolOf: (mint: string) => tokens.get(mint)?.symbol ?? '',
      deepest,
      /** By ticker id, deepest first. */
      byPair: poolsByPair(deepest)
    }
  })

/** The address of a DAO by that, or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND. */
export async function daoOf ({ get }: Sources['snapshot'], daoOrMint: string): Promise<string> {
  checkAddress(daoOrMint, 'INVALID_DAO')
  const { daos, pairs } = await get([])
  if (daos.has(daoOrMint)) return daoOrMint
  const [trading, another] = [...pairs.values()].filter(({ baseMint }) => baseMint === daoOrMint)
  if (trading === undefined || another !== undefined) throw noDao(daoOrMint)
  return trading.address
}

/** What is kept by a DAO's address, by what `daoOf` takes; throws as that. */
export const byDao = <V>({ snapshot }: Sources, kept: Kept<V, [string]>): Kept<V, [daoOrMint: string]> =>
  (parts, daoOrMint) => within(daoOf(snapshot, daoOrMint).then(address => kept(parts, address)))

/** A state so young is not read again for an unknown pool, ms: anyone may ask for one. */
const YOUNG = 1_000

/**
 * What a pool trades, by the kept state, of any age, else by a new one, whose ServiceError is thrown. undefined: no
 * such DAO, or its account or mints can't be read. Throws HISTORY_UNAVAILABLE where that is not known as of `slot`.
 */
export async function poolTokens (
  { peek, get }: Sources['snapshot'], pool: string, slot = 0
): Promise<PoolTokens | undefined> {
  const tokensIn = ({ daos, tokens }: Snapshot) => {
    const dao = daos.get(pool)
    return dao && tokensOf(dao, tokens)
  }
  const kept = peek()
  const known = kept && tokensIn(kept.value)
  if (known !== undefined) return known
  const state = await get([], YOUNG)
  const found = tokensIn(state)
  if (found !== undefined || state.slot >= slot) return found
  throw unusable(`the accounts are older than an event of ${pool}`)
}

/** Whether a DAO has events by its account, up to a Unix second: if none is stored, they are missing. */
export const hasEvents = ({ seqNum, createdAt }: Pick<Dao, 'seqNum' | 'createdAt'>, time: number): boolean =>
  seqNum > 0n && createdAt <= time

/** How old the head of the history may be, ms. */
export const staleAfter = ({ staleIfError }: Settings): number => TICKER_TTL + staleIfError

/**
 * The head, added to `parts` as of when accounts confirmed it: a node may leave the newest transactions out of its
 * lists. Throws WARMING_UP, HISTORY_UNAVAILABLE.
 */
export function headOf ({ history, now }: Pick<Sources, 'history' | 'now'>, parts: Part[], head = history.head()) {
  parts.push({ time: head.confirmedTo, readAt: now(), commitment: 'finalized' })
  return head
}

/** Kept answers of a kind: anyone may ask for any second, or any DAO. */
const MAX_KEPT = 128
/** The same of records of a few kB, as of a DAO or a mint, which are what an outage leaves. */
export const MAX_RECORDS = 1_000

/**
 * Keeps what `load` makes of each question, by key; `max` of them, for `ttl` ms. An account that can't be decoded is a
 * node's bad answer.
 */
export function keep<V extends {}, Q extends unknown[] = []> (
  { settings: { staleIfError }, now, time }: Sources, load: Kept<V, Q>,
  { keyOf = question => question.join(' '), max = MAX_KEPT, ttl = TICKER_TTL }: {
    keyOf?: (question: Q) => string, max?: number, ttl?: number
  } = {}
): Kept<V, Q> {
  return createFreshCache<V, Q>({
    load: (parts, ...question) =>
      load(parts, ...question).catch((error: unknown) => { throw wrongWith(keyOf(question), error) }),
    keyOf,
    ttl,
    staleIfError,
    max,
    now,
    time
  }).get
}

/** Another form of a kept value, made once for each value. */
export function formOf<Q extends unknown[], V extends object, T> (
  kept: Kept<V, Q>, form: (value: V) => T | Promise<T>
): Kept<T, Q> {
  const made = new WeakMap<V, T | Promise<T>>()
  return async (parts, ...question) => {
    const value = await kept(parts, ...question)
    if (!made.has(value)) made.set(value, form(value))
    return made.get(value)!
  }
}

/** What `make` gives, with its age; `ttl`: ms. */
export const withAge = async <V>({ now, time }: Pick<Sources, 'now' | 'time'>, make: Kept<V>, ttl = TICKER_TTL) =>
  aged(await dated(make), { ttl, now, time })

/** More days than any DAO has lived. */
const MAX_DAYS = 100_000
export const ALL_DAYS = { from: 0, to: MAX_DAYS * DAY, limit: MAX_DAYS }

/** Throws WARMING_UP until what events tell of decisions is read, which version 1.0 did not. */
export async function checkTold (reading: Reading, dao: string): Promise<void> {
  if (await reading.untold(dao)) throw warmingUp('events of decisions are still being read')
}

/** Throws HISTORY_UNAVAILABLE where none of `all` pools is left: an empty list would look like an empty market. */
export function checkLeft (left: number, all: number): void {
  if (left === 0 && all > 0) throw unusable('the last 24 hours of no pool are known')
}

/** Unix seconds of a DAO's first event; null: not known. */
export function createdAt ({ known }: Reading, dao: string): number | null {
  const [first] = known.sequenceRanges.get(dao) ?? []
  return first?.first === 1n ? first.firstAt : null
}

/** Seconds: a history that catches up is faster than the chain. */
const MAX_RETRY_AFTER = 60

/**
 * Throws `invalid` for a Unix second to come, WARMING_UP until the head is `beyond` seconds past it: other blocks of
 * the head's own second may still have trades.
 */
export function checkFinal (sources: Sources, at: number, invalid: ServiceError, beyond = 0): void {
  const { time: head } = sources.history.head()
  const wait = at + beyond - head
  if (wait <= 0) return
  if (at > Math.max(head, sources.time.utc() / 1000)) throw invalid
  const retryAfter = Math.min(wait, MAX_RETRY_AFTER)
  throw warmingUp(`${timeText(at)} is not final yet`, retryAfter)
}

/** ISO 8601 of the first second after `after`; undefined: all is known, or nothing. */
export const sinceText = (after: number | undefined): string | undefined =>
  after === undefined || !Number.isFinite(after) ? undefined : timeText(after + 1)

/** Whether all that an answer covers is known; if not, after which Unix second. */
export function historyHeaders (isWhole: boolean, after?: number): Record<string, string> {
  const since = isWhole ? undefined : sinceText(after)
  return { 'x-history-complete': String(isWhole), ...since !== undefined && { 'x-history-since': since } }
}

/**
 * After which second, `after` or later, what happened to a DAO up to `until` can be told: all where it is known or
 * lost, else as far back as the walk has come without a gap. Throws WARMING_UP and HISTORY_UNAVAILABLE where nothing
 * can, with `mustBeWhole` where not all can.
 */
export function extentOf (
  reading: Reading,
  dao: string,
  after: number,
  { until = Infinity, mustBeWhole = false }: { until?: number, mustBeWhole?: boolean } = {}
): { after: number, isWhole: boolean, headers: Record<string, string> } {
  const known = reading.knowledge(dao, after, until)
  if (known === 'whole') return { after, isWhole: true, headers: historyHeaders(true) }
  const { walkedTo } = reading
  const isComing = !isWalked(walkedTo, after)
  const from = reading.wholeAfter(dao)
  // a gap within what is stored is waited for: a page that ends there would pass for the last one
  const isCut = from === undefined || from >= until || !isComing || from > walkedTo + 1
  if (known === 'partly' && (mustBeWhole || isCut)) {
    throw (isComing ? warmingUp : unusable)(`not all events of ${dao} are known`)
  }
  return { after: known === 'lost' ? after : from!, isWhole: false, headers: historyHeaders(false, from) }
}

/** The newest of the asked trades, as far back as `extentOf` says. Throws as that. */
export async function knownTrades (reading: Reading, asked: TradesQuery, mustBeWhole = false) {
  const found = await reading.trades(asked)
  const oldest = found.length === asked.limit ? found.at(-1)!.at : asked.since
  const extent = extentOf(reading, asked.dao, (oldest ?? -Infinity) - 1, { until: asked.until, mustBeWhole })
  return { ...extent, trades: found.filter(({ at }) => at > extent.after) }
}
