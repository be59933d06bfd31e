/**
 * Accounts as they were at a slot: a node that lags or has stalled answers old states, not new ones under an old slot.
 */
import { type Entry, createEntry } from './accounts.js'
import { type Ledger } from './ledger.js'

/** An account at the end of a slot; null: nothing was there. */
interface Version { slot: number, entry: Entry | null }

export type AccountStates = ReturnType<typeof createAccountStates>

/** Slots after which an old state is forgotten: about three days. */
const KEPT = 1_300_000

function freeze (entry: Entry | undefined): Entry | null {
  if (entry === undefined) return null
  const { address, owner, lamports } = entry
  const data = Buffer.from(entry.data())
  return createEntry(address, owner, () => data, lamports)
}

/**
 * Until `keep` is called everything is answered as it is now. From then on each account that changes leaves a copy at
 * the end of each slot.
 */
export function createAccountStates (ledger: Ledger) {
  const versions = new Map<string, Version[]>()
  const changed = new Set<string>()
  let since: number | null = null
  let current = ledger.slot
  let unlisten = (): void => {}

  function close (slot: number): void {
    for (const address of changed) {
      const list = versions.get(address) ?? []
      list.push({ slot, entry: freeze(ledger.accounts.get(address)) })
      if (list.length > 1 && list[1]!.slot < slot - KEPT) list.shift()
      versions.set(address, list)
    }
    changed.clear()
  }

  /** The account at the end of `slot`, or now where nothing older is known. */
  function at (address: string, slot: number): Entry | undefined {
    if (since === null || slot >= ledger.slot) return ledger.accounts.get(address)
    const version = versions.get(address)?.findLast(entry => entry.slot <= slot)
    if (version !== undefined) return version.entry ?? undefined
    // All that was there at the beginning has a version of then: what has none was not there yet.
    return slot >= since ? undefined : versions.get(address)?.[0]?.entry ?? undefined
  }

  return {
    get: at,
    ofProgram (program: string, slot: number): Entry[] {
      if (since === null || slot >= ledger.slot) return ledger.accounts.ofProgram(program)
      const addresses = new Set(
        [...ledger.accounts.ofProgram(program).map(({ address }) => address), ...versions.keys()]
      )
      return [...addresses].map(address => at(address, slot)).filter(entry => entry?.owner === program) as Entry[]
    },
    /** Begins to keep the states of the past; what is there now is the oldest of them. */
    keep (): void {
      if (since !== null) return
      since = current = ledger.slot
      for (const address of ledger.accounts.addresses()) {
        versions.set(address, [{ slot: since, entry: freeze(ledger.accounts.get(address)) }])
      }
      unlisten = ledger.listen({
        account: address => { changed.add(address) },
        slot (slot) {
          if (slot === current) return
          close(current)
          current = slot
        }
      })
    },
    close: () => unlisten()
  }
}
