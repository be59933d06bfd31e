/**
 * Feeds `moment.ts` with what the nodes' answers say of the time, tells the log what changes, and is the port by which
 * all others see time.
 */
import type { Clock } from '../clock.js'
import {
  ageOf, CURRENT_MS, type Commitment, haltedAt, type Health, isFuture, type Moment, type NodeFacts, noFacts, utcOf,
  withDate, withHealth, withMoment
} from './moment.js'

/** Time as everything above the node client sees it. */
export interface ChainTime {
  /** Unix ms, by the witnesses. */
  utc (): number
  /** How old a state of the chain's time (Unix seconds) is, ms. */
  age (time: number): number
  /** The last moment of a chain that has halted; undefined: it goes on, or nobody knows. */
  halted (): Moment | undefined
  /** For how long after a state of the chain's time there was no younger one, because the chain had halted, ms. */
  silence (time: number): number
  /** What is said of a newest state that is too old: of when it is, how old, and who else may be wrong. */
  tooOld (time: number): string
  /**
   * By how much this machine's clock is ahead of UTC, and the chain's behind it while that is believed to be its clock
   * alone; ms.
   */
  offsets (): { clock: number, drift: number }
}

/** Time as ages need it. */
export type AgeTime = Pick<ChainTime, 'age' | 'halted' | 'silence' | 'tooOld'>

/** How old a state is, ms, without the time for which the chain itself had halted. */
export const ageBesideHalt = ({ age, silence }: AgeTime, time: number): number => age(time) - silence(time)

export interface TimeEvent {
  level: 'info' | 'warn'
  code: 'clock-wrong' | 'clock-right' | 'drift' | 'halted' | 'moving-again'
  message: string
}

export interface Timekeeper extends ChainTime {
  noteDate (index: number, header: string | undefined): void
  noteHealth (index: number, says: Health): void
  /** Takes a moment that a node has just shown; what is wrong with it, undefined where nothing is. */
  note (index: number, commitment: Commitment, moment: Moment): string | undefined
  /** What is wrong with a node's `Date`; undefined: nothing, or it sends none. */
  dateFault (index: number): string | undefined
  of (index: number): Readonly<NodeFacts>
  /** The age of the last state that a node has shown, without what is believed of the chain's clock, ms. */
  lag (index: number): number | undefined
}

const seconds = (ms: number): number => Math.round(ms / 1000)
const clockTime = (time: number): string => `${new Date(time * 1000).toISOString().slice(11, 19)} UTC`
/** Smaller drifts are told of no one. */
const TELL_DRIFT_MS = CURRENT_MS.confirmed

export function createTimekeeper (
  hosts: readonly string[], clock: Clock, tell: (event: TimeEvent) => void = () => {}
): Timekeeper {
  const facts = noFacts(hosts, clock.epoch() - clock.now())
  const badDates = hosts.map(() => false)
  const told = { clock: false, drift: false, halted: false }
  /** The last halt: from the chain's time at its beginning to that of the first moment after it. */
  let halt: { from: number, until?: number } | undefined

  const utc = () => utcOf(facts, clock.now())
  const age = (time: number): number => ageOf(facts, clock.now(), time)
  const clockAhead = (): number => facts.clock - utc().offset

  function change (what: keyof typeof told, is: boolean, on: TimeEvent, off?: TimeEvent): void {
    if (told[what] === is) return
    told[what] = is
    if (is) tell(on)
    else if (off !== undefined) tell(off)
  }

  function followHalt (): Moment | undefined {
    const now = haltedAt(facts, clock.now())
    if (now !== undefined) halt = { from: now.time }
    else if (halt !== undefined && halt.until === undefined) {
      const shown = Math.max(...facts.nodes.map(({ shown }) => shown?.time ?? 0))
      if (shown > halt.from) halt.until = shown
    }
    return now
  }

  function tellChanges (): void {
    const ahead = clockAhead()
    change('clock', utc().clock === 'refuted', {
      level: 'warn',
      code: 'clock-wrong',
      message: `this machine's clock is ${seconds(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'} UTC ` +
        'by what the nodes say: it is not believed; look at this machine\'s time service'
    }, { level: 'info', code: 'clock-right', message: 'this machine\'s clock agrees with UTC again' })
    change('drift', facts.drift > TELL_DRIFT_MS, {
      level: 'warn',
      code: 'drift',
      message: `the chain's own clock is ${seconds(facts.drift)} s behind UTC, though its nodes are current: ` +
        'days and windows end at the chain\'s time'
    })
    const halted = followHalt()
    change('halted', halted !== undefined, {
      level: 'warn', code: 'halted', message: halted === undefined ? '' : haltSentence(halted)
    }, { level: 'info', code: 'moving-again', message: 'the chain goes on' })
  }

  /** The wall clock is read with each answer: between answers UTC is carried on by the steady clock. */
  function readClock (): number {
    const now = clock.now()
    facts.clock = clock.epoch() - now
    return now
  }

  return {
    utc: () => clock.now() + utc().offset,
    age,
    halted: () => haltedAt(facts, clock.now()),
    silence (time) {
      const halted = haltedAt(facts, clock.now())
      if (halted !== undefined) return age(halted.time)
      return halt?.until === undefined || time > halt.from ? 0 : (halt.until - halt.from) * 1000
    },
    tooOld (time) {
      const suspect = utc().clock === 'alone'
        ? ', unless this machine\'s clock is wrong: no other witness agrees with it'
        : ''
      return `the newest state that any node shows is of ${clockTime(time)}, ${seconds(age(time))} s ago${suspect}`
    },
    offsets: () => ({ clock: clockAhead(), drift: facts.drift }),
    noteDate (index, header) {
      const now = readClock()
      const date = header === undefined ? NaN : Date.parse(header)
      badDates[index] = header !== undefined && Number.isNaN(date)
      if (!Number.isNaN(date)) withDate(facts, index, date, now)
    },
    dateFault: index => badDates[index] ? 'sends a Date that is no date' : undefined,
    noteHealth: (index, says) => withHealth(facts, index, says, clock.now()),
    note (index, commitment, moment) {
      const now = readClock()
      if (isFuture(facts, now, { ...moment, at: now })) return `shows a moment of the future, ${clockTime(moment.time)}`
      if (commitment === 'confirmed') withMoment(facts, index, { ...moment, at: now })
      tellChanges()
      return undefined
    },
    of: index => facts.nodes[index]!,
    lag (index) {
      const { shown } = facts.nodes[index]!
      return shown && age(shown.time) + facts.drift
    }
  }
}

/** What is said of a halted chain, in the log and to probes. */
export const haltSentence = ({ slot, time }: Moment): string =>
  `the chain has halted at slot ${slot}, ${new Date(time * 1000).toISOString().slice(0, 19)}Z: its nodes agree on it`
