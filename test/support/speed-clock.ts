import { type Clock, systemClock } from '../../lib/clock.js'

/** The system's clock, which goes at the speed that it is told: what began before ends as it would have. */
export function createSpeedClock (): { clock: Clock, go (speed: number): void } {
  let [speed, time, since] = [1, 0, performance.now()]
  const now = (): number => time + (performance.now() - since) * speed
  return {
    clock: {
      ...systemClock,
      now,
      after: (ms, action) => systemClock.after(ms / speed, action),
      sleep: (ms, signal) => systemClock.sleep(ms / speed, signal)
    },
    go (next) {
      [time, since] = [now(), performance.now()]
      speed = next
    }
  }
}
