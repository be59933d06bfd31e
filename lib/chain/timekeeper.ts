/** Keeps what nodes say of the time (see `moment.ts`), and tells what changes. */
import type { Clock } from '../clock.js'
import { timeText } from '../time.js'
import {
  ageOf, CURRENT_MS, type Commitment, haltedAt, type Health, type Moment, type NodeFacts, noFacts, withDate, withHealth,
  withMoment
} from './moment.js'
import { nodeError } from './node-errors.js'

export type Timekeeper = ReturnType<typeof createTimekeeper>

/** For all other rooms. */
export type ChainTime = AgeTime & Pick<Timekeeper, 'utc' | 'offsets'>

export type AgeTime = Pick<Timekeeper, 'age' | 'ageBesideHalt' | 'halted' | 'tooOld'>

export interface TimeEvent {
  level: 'info' | 'warn'
  code: 'clock-wrong' | 'clock-right' | 'drift' | 'halted' | 'moving-again'
  message: string
}

const seconds = (ms: number) => Math.round(ms / 1000)
const clockTime = (time: number) => `${timeText(time).slice(11, 19)} UTC`

export const haltSentence = ({ slot, time }: Moment): string =>
  `the chain has halted at slot ${slot}, ${timeText(time).slice(0, 19)}Z: its nodes agree on it`

export function createTimekeeper (
  hosts: readonly string[], clock: Clock, tell: (event: TimeEvent) => void = () => {}
) {
  const facts = noFacts(hosts, clock.epoch() - clock.now())
  const told = new Set<TimeEvent['code']>()
  /** The last halt: from the chain's time at its beginning to that of the first moment after it. */
  let halt: { from: number, until?: number } | undefined

  const clockAhead = () => facts.clock - facts.utc.offset
  /** How old a state of the chain's time (Unix seconds) is, ms. */
  const age = (time: number) => ageOf(facts, clock.now(), time)
  /** The last moment of a chain that has halted; undefined: none can tell that. */
  const halted = () => haltedAt(facts, clock.now())

  function change (code: TimeEvent['code'], message: string | undefined, end?: Omit<TimeEvent, 'level'>): void {
    if (message === undefined) {
      if (told.delete(code) && end !== undefined) tell({ level: 'info', ...end })
    } else if (!told.has(code)) {
      told.add(code)
      tell({ level: 'warn', code, message })
    }
  }

  function followHalt (now: Moment | undefined): void {
    if (now !== undefined) halt = { from: now.time }
    else if (halt !== undefined && halt.until === undefined) {
      // not the newest of all: another backend of a node may have been ahead before
      const shown = Math.max(...facts.nodes.map(({ shown }) => shown?.time ?? 0))
      if (shown > halt.from) halt.until = shown
    }
  }

  function tellChanges (): void {
    const ahead = clockAhead()
    change('clock-wrong', facts.utc.clock !== 'refuted'
      ? undefined
      : `this machine's clock is ${seconds(Math.abs(ahead))} s ${ahead > 0 ? 'ahead of' : 'behind'} UTC by what the ` +
        'nodes say: it is not believed; look at this machine\'s time service',
    { code: 'clock-right', message: 'this machine\'s clock agrees with UTC again' })
    change('drift', facts.drift <= CURRENT_MS.confirmed
      ? undefined
      : `the chain's own clock is ${seconds(facts.drift)} s behind UTC, though its nodes are current: days and ` +
        'windows end at the chain\'s time')
    const now = halted()
    followHalt(now)
    change('halted', now && haltSentence(now), { code: 'moving-again', message: 'the chain goes on' })
  }

  return {
    now: () => clock.now(),
    /** Unix ms. */
    utc: () => clock.now() + facts.utc.offset,
    age,
    halted,
    /** How old a state is, ms, without the time for which the chain had halted. */
    ageBesideHalt (time: number): number {
      const now = halted()
      if (now !== undefined) return age(time) - age(now.time)
      return age(time) - (halt?.until === undefined || time > halt.from ? 0 : (halt.until - halt.from) * 1000)
    },
    /** A message on a state that is too old, of which `what` is the subject. */
    tooOld (time: number, what = 'the newest state that any node shows'): string {
      const suspect = facts.utc.clock === 'alone'
        ? ', unless this machine\'s clock is wrong: no other witness agrees with it'
        : ''
      return `${what} is of ${clockTime(time)}, ${seconds(age(time))} s ago${suspect}`
    },
    /** By how much this machine's clock is ahead of UTC, and the chain's behind it, ms. */
    offsets: () => ({ clock: clockAhead(), drift: facts.drift }),
    noteDate (index: number, header: string | undefined) {
      const date = Date.parse(header ?? '')
      withDate(facts, index, Number.isNaN(date) ? undefined : date, clock.now(), clock.epoch())
    },
    noteHealth: (index: number, says: Health) => withHealth(facts, index, says, clock.now()),
    /** Takes a moment that a node has just shown. Throws NODE_BAD_ANSWER for one of the future. */
    note (index: number, commitment: Commitment, moment: Moment): void {
      if (!withMoment(facts, index, { ...moment, at: clock.now() }, commitment)) {
        throw nodeError(hosts[index]!, 'moment', `shows a moment of the future, ${clockTime(moment.time)}`)
      }
      tellChanges()
    },
    of: (index: number): Readonly<NodeFacts> => facts.nodes[index]!,
    /** The age of its last state, drift included, ms. */
    lag (index: number) {
      const { shown } = facts.nodes[index]!
      return shown && age(shown.time) + facts.drift
    }
  }
}
