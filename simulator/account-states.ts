/** Accounts as they were at a slot: what is final, or a node that lags or has stalled, is an old state. */
import { type AccountStore, type Entry, createEntry } from './accounts.js'
import type { LedgerListener } from './ledger.js'

/** An account at the end of a slot; null: nothing was there. */
interface Version { slot: number, entry: Entry | null }

/** Slots after which an old state is forgotten: what is not final, and about three days for nodes that lag. */
const KEPT = 300
const KEPT_FOR_NODES = 1_300_000

function freeze (entry: Entry | undefined): Entry | null {
  if (entry === undefined) return null
  const { address, owner, lamports } = entry
  const data = Buffer.from(entry.data())
  return createEntry(address, owner, () => data, lamports)
}

interface Source { readonly slot: number, accounts: AccountStore, listen (listener: LedgerListener): unknown }

/** From now on; each account that changes leaves a copy at the end of each slot. */
export function createAccountStates (ledger: Source) {
  const versions = new Map<string, Version[]>()
  const changed = new Set<string>()
  const since = ledger.slot
  let current = since
  let kept = KEPT

  function close (slot: number): void {
    for (const address of changed) {
      const list = versions.get(address) ?? []
      list.push({ slot, entry: freeze(ledger.accounts.get(address)) })
      while (list.length > 1 && list[1]!.slot < slot - kept) list.shift()
      versions.set(address, list)
    }
    changed.clear()
  }

  /** The account at the end of `slot`, or now where nothing older is known. */
  function at (address: string, slot: number): Entry | undefined {
    if (slot >= ledger.slot) return ledger.accounts.get(address)
    const version = versions.get(address)?.findLast(entry => entry.slot <= slot)
    if (version !== undefined) return version.entry ?? undefined
    // All that was there at the beginning has a version of then: what has none was not there yet.
    return slot >= since ? undefined : versions.get(address)?.[0]?.entry ?? undefined
  }

  for (const address of ledger.accounts.addresses()) {
    versions.set(address, [{ slot: since, entry: freeze(ledger.accounts.get(address)) }])
  }
  ledger.listen({
    account: address => { changed.add(address) },
    slot (slot) {
      if (slot === current) return
      close(current)
      current = slot
    }
  })

  return {
    get: at,
    ofProgram (program: string, slot: number): Entry[] {
      if (slot >= ledger.slot) return ledger.accounts.ofProgram(program)
      const addresses = new Set(
        [...ledger.accounts.ofProgram(program).map(({ address }) => address), ...versions.keys()]
      )
      return [...addresses].map(address => at(address, slot)).filter(entry => entry?.owner === program) as Entry[]
    },
    /** Nodes are to show what was at any time from now on. */
    keep (): void { kept = KEPT_FOR_NODES }
  }
}
