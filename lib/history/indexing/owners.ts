import type { HistoryReader, SignatureInfo } from '../../chain/types.js'
import { NOBODY_NAMED, suspectsAt } from '../rules/missing-owners.js'
import type { MissingTransaction } from '../rules/types.js'
import type { ListDaos } from './reconcile.js'
import type { StepWriter } from './commit.js'

export interface MissingOwnersOptions {
  reader: HistoryReader
  writer: StepWriter
  daos: ListDaos
  signal: AbortSignal
}

/** Lists asked for in one look, and pages of each: DAOs that trade within the seconds of finality are few. */
const MAX_LISTS = 100
const MAX_PAGES = 3
const PAGE = 1000
const DEADLINE_MS = 5000

/**
 * Names the owners of missing transactions. A DAO whose account, read later, numbers no event that is not stored owns
 * none; the few others are asked for their own lists of signatures, one call each however many are missing.
 */
export function createMissingOwners ({ reader, writer, daos, signal }: MissingOwnersOptions) {
  let named = NOBODY_NAMED
  const call = { priority: 'head', deadlineMs: DEADLINE_MS, signal } as const

  /** Slots of those of `open` that a DAO's list names; all of them where it does not reach back to them. */
  async function slotsOf (
    dao: string, open: ReadonlyMap<string, MissingTransaction>, lowest: number
  ): Promise<Set<number>> {
    const found = new Set<number>()
    let before: string | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const place = { limit: PAGE, ...(before !== undefined && { before }) }
      const page: SignatureInfo[] = await reader.signatures(dao, place, call)
      for (const { signature } of page) {
        const missing = open.get(signature)
        if (missing !== undefined) found.add(missing.slot)
      }
      const last = page.at(-1)
      if (last === undefined || last.slot < lowest) return found
      before = last.signature
    }
    return new Set(Array.from(open.values(), ({ slot }) => slot))
  }

  return {
    get named () { return named },
    /** Finds out whose what is missing beyond `verifiedSlot` is. Throws what the node throws. */
    async look (verifiedSlot: number): Promise<void> {
      const decided = Math.max(verifiedSlot, named.slot)
      const open = new Map<string, MissingTransaction>()
      let [lowest, highest] = [Infinity, -Infinity]
      for (const missing of writer.state.missing) {
        if (missing.slot <= decided) continue
        open.set(missing.signature, missing)
        lowest = Math.min(lowest, missing.slot)
        highest = Math.max(highest, missing.slot)
      }
      const owners = new Map([...named.owners].map(([dao, slots]) =>
        [dao, new Set([...slots].filter(slot => slot > verifiedSlot))] as const).filter(([, slots]) => slots.size > 0))
      if (open.size === 0) {
        if (owners.size !== named.owners.size) named = { slot: named.slot, owners }
        return
      }
      const { slot, daos: list } = await daos()
      const accounts = list.map(({ address, seqNum }) => [address, seqNum] as const)
      const suspects = suspectsAt(highest, accounts, slot, writer.state.sequenceRanges)
      if (suspects.length > MAX_LISTS) return   // the next comparison of the accounts tells
      for (const dao of suspects) {
        const slots = await slotsOf(dao, open, lowest)
        if (slots.size > 0) owners.set(dao, new Set([...owners.get(dao) ?? [], ...slots]))
      }
      named = { slot: highest, owners }
    }
  }
}
