import { ServiceError } from '../errors.js'
import type { Reading } from '../history/history.js'

/** Throws WARMING_UP until what its events tell of decisions has been read, which version 1.0 did not. */
export async function checkTold (reading: Reading, dao: string): Promise<void> {
  if (await reading.untold(dao)) throw new ServiceError('WARMING_UP', 'events of decisions are still being read')
}

/** Throws unless all that happened to a DAO after the Unix second `after`, up to `until`, is known, or stated to be lost; says whether it is lost. */
export function checkKnown (reading: Reading, dao: string, after: number, until?: number): boolean {
  const known = reading.knowledge(dao, after, until)
  if (known === 'partly') throw new ServiceError(reading.known.covers(after) ? 'HISTORY_UNAVAILABLE' : 'WARMING_UP', `not all events of ${dao} are known`)
  return known === 'lost'
}
