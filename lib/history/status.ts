import { CURRENT_MS, type Moment } from '../chain/moment.js'
import { unusable, warmingUp } from '../errors.js'
import type { AgeTime } from '../chain/timekeeper.js'
import { daosOf, sizeOf, unstored } from './rules/sequence-gaps.js'
import { type Completeness, isWalked } from './rules/completeness.js'
import { isComplete, type Walked, walkedTo } from './rules/signature-ranges.js'
import type { StoreState } from './rules/rows.js'
import { DAY, HOUR, MINUTE } from '../time.js'

/** 'starting': head not reached; 'last-day': the last 24 hours are not covered; 'walking-back': what is before. */
export type Phase = 'starting' | 'last-day' | 'walking-back' | 'following'

/** Transactions of the last 24 hours that are not stored yet, of how many, and an estimate; null: not yet. */
export interface LastDayWork { left: number, total: number, secondsLeft: number | null }

/** By how much block times may differ from the chain's time, s. */
const CLOCK_MARGIN = 60

/** The Unix second after which all is needed for the 24 hours before `time`. */
export const lastDayEdge = (time: number): number => time - DAY - CLOCK_MARGIN

export const coversDay = (state: Walked, time: number): boolean => isWalked(walkedTo(state), lastDayEdge(time))

export function phaseOf (state: Walked, head: Moment | null): Phase {
  if (head === null) return 'starting'
  if (!coversDay(state, head.time)) return 'last-day'
  return isComplete(state) ? 'following' : 'walking-back'
}

/** How far the writer has come. */
export interface Progress extends StoreState, Omit<Completeness, keyof StoreState> {
  /** Up to which all is stored, as lists and accounts say; null: not yet. */
  head: Moment | null
  /** While the last 24 hours are listed and not covered. */
  lastDay: LastDayWork | null
  /** There are block ranges. */
  isPublished: boolean
}

export interface Freshness {
  time: AgeTime
  /** How old the head may be, ms. */
  staleMs: number
}

type HeadFacts = Pick<Progress, 'head' | 'verifiedTo'> & Freshness

export const isBehind = ({ head, time, staleMs }: Omit<HeadFacts, 'verifiedTo'>): boolean =>
  head !== null && time.ageBesideHalt(head.time) > Math.max(staleMs, CURRENT_MS.finalized)

/** The newest finalized moment up to which all that nodes list is stored, once the accounts have shown it to be so. */
export interface Head extends Moment {
  /** Unix second up to which they have, which dates figures: as long before as finality takes, at most. */
  confirmedTo: number
}

/** Throws WARMING_UP before the head was first reached, HISTORY_UNAVAILABLE when it is behind. */
export function checkHead (facts: HeadFacts): Head {
  const { head, verifiedTo, time } = facts
  if (head === null) throw warmingUp('the history has not reached the head yet')
  if (isBehind(facts)) {
    const reason = time.tooOld(head.time, 'the newest state that is stored')
    throw unusable(`the history is behind the chain: ${reason}`)
  }
  // a node may date its accounts after a head that is beyond them
  return { ...head, confirmedTo: Math.min(head.time, verifiedTo?.time ?? Infinity) }
}

/** Throws WARMING_UP where the 24 hours before the head are not covered, and as `checkHead`. */
export function checkDay (facts: HeadFacts & Walked): Head {
  const { head } = facts
  if (head !== null && !coversDay(facts, head.time)) throw warmingUp('the last 24 hours are not covered yet')
  return checkHead(facts)
}

export type HistoryStatus = ReturnType<typeof statusOf>

const NOTHING = {
  head: null,
  verifiedTo: null,
  lastDay: null,
  isPublished: false,
  sequenceGaps: new Map(),
  indexedRanges: [],
  ended: false,
  sequenceRanges: new Map(),
  numbersAhead: new Map(),
  numbersBefore: new Map(),
  swaps: 0,
  events: 0,
  missing: new Map(),
  losses: [],
  rates: new Map()
} satisfies Partial<Progress>

export function statusOf ({ time, staleMs, ...facts }: Partial<Progress> & Freshness) {
  const state: Pick<Progress, keyof typeof NOTHING> = { ...NOTHING, ...facts }
  const { head, verifiedTo, lastDay, sequenceGaps } = state
  const [top] = state.indexedRanges
  const last24h = head !== null && coversDay(state, head.time)
  return {
    phase: phaseOf(state, head),
    last24h,
    /** Walked to the nodes' beginning. */
    complete: isComplete(state),
    /** ms */
    headAge: head === null ? null : time.age(head.time),
    headSlot: head?.slot ?? null,
    /** Too old to be used; a halt of the chain does not count. */
    isBehind: isBehind({ head, time, staleMs }),
    lastDay: last24h ? null : lastDay,
    isPublished: state.isPublished,
    /** Newest slot processed. */
    slot: top?.newestSlot ?? null,
    /** Down to which all is stored, Unix seconds. */
    oldestTime: top?.oldestTime ?? null,
    /** Signatures processed since the start. */
    signatures: 0,
    swaps: state.swaps,
    events: state.events,
    /** Events that the accounts number; null: not compared yet. */
    expected: verifiedTo && state.events + Number(sizeOf([...daosOf(state)].flatMap(dao => unstored(dao, state)))),
    /** Sequence numbers known to be missing, and whether each has been searched. */
    missingEvents: Number(sizeOf([...sequenceGaps.values()].flat())),
    searched: true,
    missingTransactions: state.missing.size,
    losses: state.losses.length,
    /** Swaps by observed fee rate, basis points or "other", where it is not the configured one. */
    rateDisagreements: Array.from(state.rates, ([bps, swaps]) => ({ bps, swaps })),
    /** Whether there was a state to read when one was last asked for. */
    isReadable: true,
    /** Whether sums and candles are there, and by the rule of this process. */
    hasSums: true,
    /** Whether this process writes. */
    leads: false,
    /** Why nothing can be written. */
    refusal: null as string | null
  }
}

const DURATIONS = [[DAY, 'days'], [HOUR, 'hours'], [MINUTE, 'minutes']] as const

function about (seconds: number): string {
  const [unit, name] = DURATIONS.find(([unit]) => seconds >= 1.5 * unit) ?? [1, 'seconds']
  return `about ${Math.round(seconds / unit).toLocaleString('en-US')} ${name}`
}

/** "1,240 of 5,110 transactions of the last day, about 14 minutes left". */
export function lastDayText ({ left, total, secondsLeft }: LastDayWork): string {
  const work = `${left.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} transactions of the last day`
  return secondsLeft === null ? `${work} left` : `${work}, ${about(secondsLeft)} left`
}
