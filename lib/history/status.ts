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

export function phaseOf (state: Walked, verifiedTo: Moment | null): Phase {
  if (verifiedTo === null) return 'starting'
  if (!coversDay(state, verifiedTo.time)) return 'last-day'
  return isComplete(state) ? 'following' : 'walking-back'
}

/** How far the writer has come. */
export interface Progress extends StoreState, Omit<Completeness, keyof StoreState> {
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

type HeadFacts = Pick<Progress, 'verifiedTo'> & Freshness

export const isBehind = ({ verifiedTo, time, staleMs }: HeadFacts): boolean =>
  verifiedTo !== null && time.ageBesideHalt(verifiedTo.time) > Math.max(staleMs, CURRENT_MS.finalized)

/**
 * The head, up to which all is stored, as lists say and accounts have shown: figures end there, whatever is stored of
 * what came after. Throws WARMING_UP before it was first reached, HISTORY_UNAVAILABLE when it is behind.
 */
export function checkHead (facts: HeadFacts): Moment {
  const { verifiedTo: head, time } = facts
  if (head === null) throw warmingUp('the history has not reached the head yet')
  if (isBehind(facts)) {
    const reason = time.tooOld(head.time, 'the newest state that is stored')
    throw unusable(`the history is behind the chain: ${reason}`)
  }
  return head
}

/** Throws WARMING_UP where the 24 hours before the head are not covered, and as `checkHead`. */
export function checkDay (facts: HeadFacts & Walked): Moment {
  const { verifiedTo: head } = facts
  if (head !== null && !coversDay(facts, head.time)) throw warmingUp('the last 24 hours are not covered yet')
  return checkHead(facts)
}

export type HistoryStatus = ReturnType<typeof statusOf>

const NOTHING = {
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
  const { verifiedTo: head, lastDay, sequenceGaps } = state
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
    isBehind: isBehind({ ...state, time, staleMs }),
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
    expected: head && state.events + Number(sizeOf([...daosOf(state)].flatMap(dao => unstored(dao, state)))),
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
