import type { ProgramEvent } from '../protocol/events.js'
import type { PlacedEvent } from './record.js'
import type { StoredEvent, UnplacedEvent } from './store.js'

/** An event and the transaction that it was found in. */
export interface Sighting { event: ProgramEvent, signature: string, slot: number }

/** What is known of who is who. */
export interface Directory {
  /** Whether `address` is a DAO, by its account or by an event. */
  isDao (address: string): boolean
  daoOfProposal (proposal: string): string | undefined
}

/** The only DAO among `keys`; undefined where there is none, or more than one. */
function onlyDao (keys: readonly string[], directory: Directory): string | undefined {
  const daos = new Set(keys.filter(directory.isDao))
  return daos.size === 1 ? [...daos][0] : undefined
}

function ofKeys (keys: readonly string[], directory: Directory): string | undefined {
  for (const key of keys) {
    const dao = directory.daoOfProposal(key)
    if (dao !== undefined) return dao
  }
  return onlyDao(keys, directory)
}

const understood = ({ name }: ProgramEvent) => name !== 'Unknown' && name !== 'Unreadable'

/** The DAO of an event: its own word where it has one, its proposal's, or the only DAO that it can mean. */
function daoOf (event: ProgramEvent, directory: Directory): string | undefined {
  if (event.dao !== null && (understood(event) || directory.isDao(event.dao))) return event.dao
  if (!understood(event)) return ofKeys(event.candidates, directory)
  return event.proposal === null ? undefined : directory.daoOfProposal(event.proposal) ?? onlyDao(event.accounts, directory)
}

const placeOf = ({ outer, inner }: ProgramEvent) => outer * 65_536 + inner

/** The row of an event, once its DAO is known; otherwise the row that waits for it. */
export function place ({ event, signature, slot }: Sighting, directory: Directory): PlacedEvent | UnplacedEvent {
  const { name, seq, at, swap, fees, reserves, keepsFees, reason, raw } = event
  const shared = { kind: name, signature, place: placeOf(event), reason, raw }
  const dao = daoOf(event, directory)
  if (dao === undefined || seq === null || at === null || event.slot === null) {
    // Without number and time no knowledge of its DAO would ever place it
    const hopeless = seq === null || at === null || event.slot === null
    const keys = hopeless ? [] : understood(event) ? [event.proposal].filter(key => key !== null) : event.candidates
    return { ...shared, slot, seq, at, keepsFees, keys }
  }
  const stored: StoredEvent = { ...shared, dao, seq, at, slot: event.slot, fees, reserves, swap: swap === null ? null : { ...swap, fee: null } }
  return { event: stored, keepsFees }
}

/** A waiting row whose DAO may have become known. */
export function revisit (waiting: UnplacedEvent, directory: Directory): PlacedEvent | undefined {
  const { keepsFees, keys, seq, at, ...rest } = waiting
  const dao = ofKeys(keys, directory)
  if (dao === undefined || seq === null || at === null) return undefined
  return { event: { ...rest, seq, at, dao, swap: null, fees: null, reserves: null }, keepsFees }
}
