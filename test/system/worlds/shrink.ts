/**
 * A smaller world that still fails: events and time taken away as long as the same rule is broken. Nodes stay: what one
 * alone can't know, another shows.
 */
import type { Plan } from './plan.js'
import { type Failure, runWorld } from './world.js'

/** Worlds tried at most. */
const TRIES = 60

const kindOf = ({ rule }: Failure): string => rule.split(' ')[0]!

export async function shrink (plan: Plan, failure: Failure): Promise<Plan> {
  let smallest = plan
  let tries = 0
  async function fails (candidate: Plan): Promise<boolean> {
    if (tries++ >= TRIES) return false
    const { failure: found } = await runWorld(candidate)
    if (found === undefined || kindOf(found) !== kindOf(failure)) return false
    smallest = candidate
    return true
  }
  // Nothing after the failure can have caused it
  await fails({
    ...smallest,
    events: smallest.events.filter(({ at }) => at <= failure.second),
    weather: Math.min(smallest.weather, failure.second + 5)
  })
  for (let size = Math.ceil(smallest.events.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.events.length;) {
      const events = smallest.events.toSpliced(at, size)
      if (!await fails({ ...smallest, events })) at += size
    }
  }
  return smallest
}
