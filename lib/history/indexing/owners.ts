import type { Cursor } from '../../chain/types.js'
import { NO_OWNERS, suspectsAt } from '../rules/completeness.js'
import { unindexedRanges } from '../rules/signature-ranges.js'
import type { Context } from './context.js'

/** DAOs that trade within the time of finality are few. */
const MAX_LISTS = 100
const MAX_PAGES = 3
const PAGE = 1000
const DEADLINE_MS = 5000

/**
 * Finds the owners of missing transactions, as those of a version that a node does not give (-32015, met by indexers
 * when v0 came to mainnet in 2022): else one of a stranger hides all DAOs until the accounts are compared again. A DAO
 * whose account numbers no more than what is stored owns none; the lists of the few others tell.
 */
export function createMissingOwners ({ reader, writer, daos, signal }: Context) {
  let known = NO_OWNERS
  const call = { priority: 'head', deadlineMs: DEADLINE_MS, signal } as const

  /** Those of `slots`, ascending, in which its list has a missing one; all where it does not reach back so far. */
  async function slotsOf (dao: string, slots: readonly number[]): Promise<readonly number[]> {
    const { missing } = writer.state
    const [found, lowest, minSlot] = [new Set<number>(), slots[0]!, slots.at(-1)!]
    let before: Cursor | undefined
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      // `minSlot`: a node that lags lists none of them
      const page = await reader.signatures(dao, { limit: PAGE, minSlot, before }, call)
      for (const { signature, slot } of page) if (missing.has(signature)) found.add(slot)
      before = page.at(-1)
      if (before === undefined || before.slot < lowest) return [...found]
    }
    return slots
  }

  return {
    get missingOwners () { return known },
    /**
     * Finds the owners of what is missing beyond `verifiedSlot`, once the walk can find no more there.
     * Throws what the node throws.
     */
    async look (verifiedSlot: number): Promise<void> {
      const [unindexed] = unindexedRanges(writer.state)
      if (unindexed !== undefined && unindexed.above.oldestSlot > verifiedSlot) return
      const slots = Array.from(writer.state.missing.values(), ({ slot }) => slot)
        .filter(slot => slot > verifiedSlot).sort((a, b) => a - b)
      const highest = slots.at(-1) ?? 0
      if (highest <= known.slot) return
      const { slot, daos: list } = await daos()
      const suspects = suspectsAt(highest, list, slot, writer.state.sequenceRanges)
      if (suspects.length > MAX_LISTS) return   // the next comparison of the accounts tells
      const owners: Record<string, readonly number[]> = {}
      for (const { address } of suspects) {
        const found = await slotsOf(address, slots)
        if (found.length > 0) owners[address] = found
      }
      known = { slot: highest, owners }
    }
  }
}
