/** What is said about a history: phase, coverage and staleness. */
import { CURRENT_MS, type Moment } from '../chain/moment.js'
import { unusable, warmingUp } from '../errors.js'
import type { AgeTime } from '../chain/timekeeper.js'
import { daosOf, sizeOf, unstored } from './rules/sequence-gaps.js'
import { type Completeness, isWalked } from './rules/completeness.js'
import { beginningOf, isComplete, type Walked, walkedTo } from './rules/signature-ranges.js'
import type { StoreState } from './rules/types.js'
import { DAY, HOUR, MINUTE } from '../time.js'

/** 'starting': head not reached; 'last-day': the last 24 hours are not covered; 'walking-back': what is before. */
export type Phase = 'starting' | 'last-day' | 'walking-back' | 'following'

/** Work that the last 24 hours still need. */
export interface LastDayWork {
  /** Transactions that are listed and not processed yet, and of how many. */
  left: number
  total: number
  /** At the pace so far; null: not known yet. */
  secondsLeft: number | null
}

/** Block times of one chain may differ by so many seconds. */
const CLOCK_MARGIN = 60

/** The Unix second after which all has to be covered for the 24 hours before `time` to be. */
export const lastDayEdge = (time: number): number => time - DAY - CLOCK_MARGIN

export const coversDay = (state: Walked, time: number): boolean => isWalked(walkedTo(state), lastDayEdge(time))

/** `head`: up to which all is stored; null: none yet. */
export function phaseOf (state: Walked, head: Moment | null): Phase {
  if (head === null) return 'starting'
  if (!coversDay(state, head.time)) return 'last-day'
  return isComplete(state) ? 'following' : 'walking-back'
}

/** How far the process that writes has come. */
export interface Progress extends StoreState, Omit<Completeness, keyof StoreState> {
  /** Up to which all that the accounts number should be stored; null: not compared yet. */
  verifiedTo: Moment | null
  /** Up to which all is stored; null: none yet. */
  head: Moment | null
  /** While the last 24 hours are not covered, once they are listed. */
  lastDay: LastDayWork | null
  /** Whether there are block ranges. */
  isPublished: boolean
}

export interface Freshness {
  time: AgeTime
  /** How old the head may be for anything to be made of it, ms. */
  staleMs: number
}

type HeadFacts = Pick<Progress, 'head' | 'verifiedTo'> & Freshness

export const isBehind = ({ head, time, staleMs }: Omit<HeadFacts, 'verifiedTo'>): boolean =>
  head !== null && time.ageBesideHalt(head.time) > Math.max(staleMs, CURRENT_MS.finalized)

/** The newest finalized moment up to which all that the nodes list is stored. */
export interface Head extends Moment {
  /**
   * Unix second up to which the accounts have confirmed that: of then figures are. The head's own where they could not
   * of late, as at a start or after an outage: it takes them what finality does.
   */
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
  const since = verifiedTo === null ? Infinity : (head.time - verifiedTo.time) * 1000
  // of a node whose clock is ahead accounts may be dated after a head that is beyond them
  return { ...head, confirmedTo: since > 0 && since <= CURRENT_MS.finalized ? verifiedTo!.time : head.time }
}

/** Throws WARMING_UP where the 24 hours before the head are not covered, and as `checkHead`. */
export function checkDay (facts: HeadFacts & Walked): Head {
  const { head } = facts
  if (head !== null && !coversDay(facts, head.time)) {
    throw warmingUp('the last 24 hours are not covered yet')
  }
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
  swaps: 0,
  events: 0,
  missing: [],
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
    /** Walked to the beginning that the node offers. */
    complete: isComplete(state),
    /** Age of the newest finalized moment up to which everything is stored, ms; and its slot. */
    headAge: head === null ? null : time.age(head.time),
    headSlot: head?.slot ?? null,
    /** It is too old for anything to be made of it; a halt of the chain does not count. */
    isBehind: isBehind({ head, time, staleMs }),
    lastDay: last24h ? null : lastDay,
    isPublished: state.isPublished,
    /** Newest slot processed. */
    slot: top?.newestSlot ?? null,
    /** Down to which all is covered from the head, Unix seconds. */
    oldestTime: top?.oldestTime ?? null,
    /** Signatures processed since the start. */
    signatures: 0,
    swaps: state.swaps,
    events: state.events,
    /** With those that accounts number beyond; null: not compared yet. */
    expected: verifiedTo && state.events + Number(sizeOf([...daosOf(state)].flatMap(dao => unstored(dao, state)))),
    /** Sequence numbers known to be missing, and whether each has been looked for in its DAO's own signatures. */
    missingEvents: Number(sizeOf([...sequenceGaps.values()].flat())),
    searched: true,
    /** Transactions that the node lists and does not give. */
    missingTransactions: state.missing.length,
    /** Parts of the past that no node offers any more, inside what is indexed. */
    losses: state.losses.length,
    /** Swaps by observed fee rate, basis points, that is not the configured one; "other": none is named. */
    rateDisagreements: Array.from(state.rates, ([bps, swaps]) => ({ bps, swaps })),
    /** Whether this process is the one that writes. */
    leads: false,
    /** Why nothing can be written to this store; null: it can. */
    refusal: null as string | null
  }
}

type Proof = Pick<Progress, 'sequenceGaps' | 'searched' | 'missingOwners' | 'verifiedTo'>

/** A state, and what is known of its completeness beside its rows. */
export const withProof = <P extends Proof>(state: StoreState, proof: P) => ({
  ...state,
  ...proof,
  verifiedSlot: proof.verifiedTo?.slot ?? 0,
  lostBefore: beginningOf(state),
  walkedTo: walkedTo(state)
})

const DURATIONS = [[DAY, 'days'], [HOUR, 'hours'], [MINUTE, 'minutes']] as const

/** "about 14 minutes". */
function about (seconds: number): string {
  const [unit, name] = DURATIONS.find(([unit]) => seconds >= 1.5 * unit) ?? [1, 'seconds']
  return `about ${Math.round(seconds / unit).toLocaleString('en-US')} ${name}`
}

/** "1,240 of 5,110 transactions of the last day, about 14 minutes left". */
export function lastDayText ({ left, total, secondsLeft }: LastDayWork): string {
  const work = `${left.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} transactions of the last day`
  return secondsLeft === null ? `${work} left` : `${work}, ${about(secondsLeft)} left`
}
