import type { Ready } from '../../schemas/ready.js'
import { standingSentence } from './standing.js'
import { ALL, type Sources, staleAfter } from './sources.js'

/** What stands in the way of serving the figures, from what is known already: it asks nobody. */
export function readiness ({ snapshot: snapshots, history, settings, standing }: Sources): Ready {
  const snapshot = snapshots.peek(ALL)
  const { phase, last24h, complete, headAge, isBehind, headSlot, lastDay, missingEvents, losses, leads, refusal } = history.status()
  const problems: string[] = []
  const still = standing()
  if (still !== undefined) problems.push(standingSentence(still))
  if (refusal !== null) problems.push(refusal)
  if (!last24h) problems.push('the last 24 hours are not indexed yet')
  if (snapshot === undefined) problems.push('the chain has not been read yet')
  else if (snapshot.age > staleAfter(settings)) problems.push('the chain has not been read for a while')
  if (isBehind) problems.push('the history has fallen behind')
  return {
    ready: problems.length === 0,
    problems,
    snapshot: { slot: snapshot?.value.slot ?? null, age_seconds: snapshot === undefined ? null : snapshot.age / 1000 },
    history: {
      phase,
      last_day_covered: last24h,
      complete,
      head_age_seconds: headAge === null ? null : headAge / 1000,
      head_slot: headSlot,
      last_day: lastDay === null ? null : { left: lastDay.left, total: lastDay.total, seconds_left: lastDay.secondsLeft },
      missing_events: missingEvents,
      losses,
      leads
    }
  }
}
