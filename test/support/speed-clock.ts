import { type Clock, systemClock } from '../../lib/clock.js'

/** A clock, by default the system's, at the speed that it is told: what began before ends as it would have. */
export function createSpeedClock (of: Clock = systemClock): { clock: Clock, go (speed: number): void } {
  let [speed, time, since] = [1, 0, of.now()]
  const now = (): number => time + (of.now() - since) * speed
  return {
    clock: {
      ...of,
      now,
      after: (ms, action) => of.after(ms / speed, action),
      sleep: (ms, signal) => of.sleep(ms / speed, signal)
    },
    go (next) {
      [time, since] = [now(), of.now()]
      speed = next
    }
  }
}
