import type { ProgramEvent } from '../../protocol/events.js'
import type { AttributedEvent } from './plan-step.js'

/** An event in its transaction. */
export interface LocatedEvent {
  event: ProgramEvent
  signature: string
  /** Index of the transaction in its block, where the node gave it. */
  blockIndex?: number | null
}

export const eventIndexOf = ({ outer, inner }: ProgramEvent) => outer * 65_536 + inner

export interface Directory {
  isDao: (address: string) => boolean
  /** Whether a DAO's number is not stored, and its slot lies between its neighbours'. */
  fits: (dao: string, seq: bigint, slot: number) => boolean
}

/**
 * The DAO that an event names. Of one that names none, or is not understood, the only DAO whose key stands where others
 * have it, or else the only one of its transaction, since each event changes its DAO's account; its number must fit.
 */
function daoOf ({ dao, candidates, accounts, seq, slot, reason }: ProgramEvent, directory: Directory): string | null {
  if (reason === null && dao !== null) return dao
  const named = candidates.filter(directory.isDao)
  const [owner, other] = new Set(named.length > 0 ? named : accounts.filter(directory.isDao))
  if (owner === undefined || other !== undefined || seq === null || slot === null) return null
  return directory.fits(owner, seq, slot) ? owner : null
}

/**
 * The row of an event; undefined where its DAO, number or time is not known: it shows as a sequence gap then, whose
 * search reads its transaction again.
 */
export function attribute (
  { event, signature, blockIndex = null }: LocatedEvent, directory: Directory
): AttributedEvent | undefined {
  const { name: kind, seq, slot, at, swap, liquidity, fees, reserves, keepsFees, facts, reason, raw } = event
  const dao = daoOf(event, directory)
  if (dao === null || seq === null || slot === null || at === null) return undefined
  return {
    // field by field: by spreading it took 27 µs in place of 1
    event: {
      kind,
      signature,
      eventIndex: eventIndexOf(event),
      reason,
      raw,
      dao,
      seq,
      at,
      slot,
      fees,
      reserves,
      blockIndex,
      maker: event.user ?? event.accounts[0] ?? null,
      liquidity,
      facts,
      swap: swap === null ? null : { side: swap.side, input: swap.input, output: swap.output, fee: null }
    },
    keepsFees
  }
}
