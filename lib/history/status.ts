/** What is said about a history, by the process that writes it and by those that only read: phase, coverage and staleness, from the same facts. */
import { ServiceError } from '../errors.js'
import { type SequenceGap, sizeOf } from './rules/sequence-gaps.js'
import { beginningOf, covers } from './rules/signature-ranges.js'
import type { StoreState } from './rules/types.js'
import type { Completeness } from './volumes/volumes.js'

/** 'starting': the head has not been reached yet. 'last-day': the last 24 hours are not covered. 'walking-back': the rest is not. */
export type Phase = 'starting' | 'last-day' | 'walking-back' | 'following'

/** Work that the last 24 hours still need. */
export interface LastDayWork {
  /** Transactions that are listed and not processed yet, and of how many. */
  left: number
  total: number
  /** At the pace of late; null: not known yet. */
  secondsLeft: number | null
}

export interface HistoryStatus {
  phase: Phase
  /** The last 24 hours are covered. */
  last24h: boolean
  /** Walked to the beginning that the node offers. */
  complete: boolean
  /** Milliseconds, by the history's clock, at which the head was last known to be reached. */
  headAt: number | null
  /** Milliseconds since then. */
  headAge: number | null
  /** So long that nothing is made of it; while the chain itself has halted does not count. */
  isBehind: boolean
  /** Newest finalized slot up to which everything is stored. */
  headSlot: number | null
  /** While the last 24 hours are not covered, once they are listed; null otherwise. */
  lastDay: LastDayWork | null
  /** Newest slot processed. */
  slot: number | null
  /** Unix seconds of the oldest signature that is covered without a gap from the head. */
  oldestTime: number | null
  /** Signatures processed since the start. */
  signatures: number
  swaps: number
  events: number
  /** Events that the accounts have numbered; null before they have been compared. */
  expected: number | null
  /** Sequence numbers known to be missing. */
  missingEvents: number
  /** Each of them has been looked for in its DAO's own signatures. */
  searched: boolean
  /** Transactions that the node lists and does not give. */
  missingTransactions: number
  /** Parts of the past inside what is indexed that no node offers any more. */
  losses: number
  /** Swaps per observed protocol fee rate in basis points that is not the configured one; "other": the amounts name none. */
  rateDisagreements: ReadonlyArray<{ bps: string, swaps: number }>
  /** Forms of events that no release had, which have proved themselves since the start and are read. */
  grownForms: number
  /** Whether this process is the one that writes. */
  leads: boolean
  /** Why nothing can be written to this store; null: it can. */
  refusal: string | null
}

/** Before anything is known. */
export const EMPTY: HistoryStatus = {
  phase: 'starting',
  last24h: false,
  complete: false,
  headAt: null,
  headAge: null,
  isBehind: false,
  headSlot: null,
  lastDay: null,
  slot: null,
  oldestTime: null,
  signatures: 0,
  swaps: 0,
  events: 0,
  expected: null,
  missingEvents: 0,
  searched: true,
  missingTransactions: 0,
  losses: 0,
  rateDisagreements: [],
  leads: false,
  grownForms: 0,
  refusal: null
}

const DAY = 86_400
/** Block times of one chain may differ by so many seconds. */
const CLOCK_MARGIN = 60

type Walked = Pick<StoreState, 'indexedRanges' | 'ended'>

/** The Unix second after which everything has to be covered for the last 24 hours to be; undefined while the chain's time (ms) is not known. */
export const lastDayEdge = (chainTime: number | undefined): number | undefined =>
  chainTime === undefined ? undefined : Math.floor(chainTime / 1000) - DAY - CLOCK_MARGIN

export function coversDay ({ indexedRanges, ended }: Walked, chainTime: number | undefined): boolean {
  const edge = lastDayEdge(chainTime)
  return edge !== undefined && covers(indexedRanges, ended, edge)
}

export const isComplete = ({ indexedRanges, ended }: Walked): boolean => ended && indexedRanges.length <= 1

/** `headAt`: when the head was last reached, null where it never was. */
export function phaseOf (state: Walked, headAt: number | null, chainTime: number | undefined): Phase {
  if (headAt === null) return 'starting'
  if (!coversDay(state, chainTime)) return 'last-day'
  return isComplete(state) ? 'following' : 'walking-back'
}

/** How old the head is. */
export interface HeadFacts {
  /** When it was last reached, by the clock; null: never. */
  headAt: number | null
  /** Milliseconds of the same clock. */
  now: number
  /** For how long after it was last reached anything is made of it, ms. */
  staleMs: number
  /** For how long the chain itself has stood, ms, 0 where it moves: for so long there has been no newer head. */
  haltedMs: number
}

/** How long a slot takes to become final at most, ms: what is later was so when it was first seen. */
const FINALITY_MS = 20_000

/** When a head was seen that the chain may have been past by then, as nodes show now or later: older than by the clock alone, never younger. */
export const headSeenAt = ({ at, slot }: { at: number, slot: number }, now: number, pastMs: (slot: number) => number): number =>
  Math.min(at, now - Math.max(0, pastMs(slot) - FINALITY_MS))

export const isBehind = ({ headAt, now, staleMs, haltedMs }: HeadFacts): boolean => headAt !== null && now - headAt - haltedMs > staleMs

/** Throws WARMING_UP before the head was first reached, HISTORY_UNAVAILABLE when it is behind. */
export function checkHead (head: HeadFacts): void {
  if (head.headAt === null) throw new ServiceError('WARMING_UP', 'the history has not reached the head yet')
  if (isBehind(head)) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain: its head has not been reached of late')
}

/** What is known beside the rows. */
export interface StatusFacts {
  head: HeadFacts
  headSlot: number | null
  /** Unix ms of the chain. */
  chainTime: number | undefined
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
  lastDay: LastDayWork | null
}

export function statusOf (state: StoreState, { head, headSlot, chainTime, sequenceGaps, lastDay }: StatusFacts): HistoryStatus {
  const [top] = state.indexedRanges
  const { headAt, now } = head
  const last24h = headAt !== null && coversDay(state, chainTime)
  return {
    ...EMPTY,
    phase: phaseOf(state, headAt, chainTime),
    last24h,
    complete: isComplete(state),
    headAt,
    headAge: headAt === null ? null : Math.max(0, now - headAt),
    isBehind: isBehind(head),
    headSlot,
    lastDay: last24h ? null : lastDay,
    slot: top?.newestSlot ?? null,
    oldestTime: top?.oldestTime ?? null,
    swaps: state.swaps,
    events: state.events,
    missingEvents: sizeOf([...sequenceGaps.values()].flat()),
    missingTransactions: state.missing.length,
    losses: state.losses.length,
    rateDisagreements: Array.from(state.rates, ([bps, swaps]) => ({ bps, swaps })).filter(({ swaps }) => swaps > 0)
  }
}

/** Events that sequence numbers of accounts amount to; null where none has been read. */
export const expectedEvents = (accounts: ReadonlyMap<string, bigint>): number | null =>
  accounts.size === 0 ? null : [...accounts.values()].reduce((sum, seqNum) => sum + Number(seqNum), 0)

/** What is known of the completeness of a state beside its rows. */
export type ProofFacts = Pick<Completeness, 'sequenceGaps' | 'accounts' | 'verifiedSlot' | 'searched' | 'named'>

export const completenessOf = (state: StoreState, proof: ProofFacts): Completeness => ({
  ...proof,
  sequenceRanges: state.sequenceRanges,
  unreadable: state.unreadable,
  missing: state.missing,
  losses: state.losses,
  lostBefore: beginningOf(state),
  covers: after => covers(state.indexedRanges, state.ended, after),
  rolledFrom: state.rolledFrom,
  minutesFrom: state.minutesFrom
})

const DURATIONS = [[86_400, 'days'], [3_600, 'hours'], [60, 'minutes']] as const

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
