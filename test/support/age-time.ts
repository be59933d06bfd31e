import type { Moment } from '../../lib/chain/moment.js'
import type { AgeTime } from '../../lib/chain/timekeeper.js'
import type { AtMoment } from '../../lib/chain/types.js'

/** Time as ages need it, by `now` in Unix ms; of a chain that goes on unless `halted` says where it has halted. */
export const ageTime = (now: () => number, halted: () => Moment | undefined = () => undefined): AgeTime => ({
  age: time => Math.max(0, now() - time * 1000),
  halted,
  ageBesideHalt: time => Math.max(0, (halted() === undefined ? now() : halted()!.time * 1000) - time * 1000),
  tooOld: (time, what = 'the newest state') => `${what} is ${Math.round(now() / 1000 - time)} s old`
})

/** The chain's time in tests that don't tell another, Unix seconds. */
export const TIME = 1_767_225_600

/** What a node read at a slot. */
export const atMoment = <T>(
  slot: number, value: T, { time = TIME, readAt = 0 }: { time?: number, readAt?: number } = {}
): AtMoment<T> =>
    ({ moment: { slot, time }, readAt, value })
