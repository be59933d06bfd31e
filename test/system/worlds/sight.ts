/**
 * What the service could know of where the chain is: the newest slot that its nodes showed since it started. A node alone that was
 * minutes behind at first contact is all there is; of two, whoever answers says how far the chain is.
 */
import type { Ledger } from '../../../simulator/index.js'
import type { Host } from './network.js'

// Over so long a look may reach back, ms.
const KEPT_MS = 300_000
// A node that takes longer is not waited for.
const SLOW_MS = 1_000
const RESET_MS = 600_000
// Faults through which nothing comes.
const MUTE = new Set(['refuse', 'reset', 'hang', 'status', 'rate-limit', 'html', 'truncated', 'wrong-id', 'rpc-error'])
// Faults that leave the slot alone.
const HARMLESS = new Set(['null-transaction', 'other-signature', 'inner-null', 'short-accounts', 'skipped-signatures', 'no-account', 'wrong-order', 'short-page', 'batch-partial', 'batch-missing', 'batch-shuffled', 'wrong-owner'])

export function createSight (ledger: Ledger, hosts: readonly Host[], finalityLag: number) {
  const first = ledger.slot
  /** When each slot from the first on was reached, ms. */
  const moments: number[] = [0]
  /** Each time a newer slot was shown, and by how much it was behind the chain then. */
  let arrivals: Array<{ at: number, behind: number }> = []
  let newest = -1
  /** The newest that somebody has shown for certain, a slow node too; when something newer may have been shown last. */
  let certain = -1
  let possibleAt = 0

  const momentOf = (slot: number): number => slot < first ? (slot - first) * 400 : moments[slot - first]!
  const faultsOf = ({ service }: Host) => service.faults.active.filter(({ fired, times = Infinity }) => fired < times)
  const isTrue = (host: Host): boolean => faultsOf(host).every(({ kind, method }) => HARMLESS.has(kind) || (method !== undefined && method !== 'getSlot'))
  const isMute = (host: Host): boolean => host.down || faultsOf(host).some(({ kind, method }) => method === undefined && MUTE.has(kind))
  const slotsOf = (hosts: Host[]): number => Math.max(-1, ...hosts.map(({ service }) => service.methods.slotAt('confirmed')))

  /** By those that answer as they should, where there is one. */
  function shown (isWell: (host: Host) => boolean): number {
    const up = hosts.filter(host => !isMute(host))
    const well = up.filter(isWell)
    return slotsOf(well.length > 0 ? well : up)
  }

  function note (now: number): void {
    while (first + moments.length <= ledger.slot) moments.push(now)
    const up = hosts.filter(host => !isMute(host))
    if (now - possibleAt > RESET_MS) certain = -1
    if (slotsOf(up) > certain) possibleAt = now
    certain = Math.max(certain, slotsOf(up.filter(isTrue)))
    const slot = shown(host => host.latencyMs <= SLOW_MS && isTrue(host))
    // After ten minutes of lower slots they are what there is
    const isReset = slot >= 0 && slot < newest && now - arrivals.at(-1)!.at > RESET_MS
    if (slot <= newest && !isReset) return
    newest = slot
    arrivals.push({ at: now, behind: now - momentOf(slot) })
    if (arrivals.length > 2 && arrivals[1]!.at < now - KEPT_MS) arrivals = arrivals.filter(({ at }) => at >= now - KEPT_MS)
  }

  return {
    note,
    /** A process starts, which knows nothing yet. */
    begin (now: number): void {
      arrivals = []
      newest = -1
      certain = -1
      possibleAt = now
      note(now)
    },
    /** For how long no newer slot has been shown, ms. */
    stillFor: (now: number): number => now - possibleAt,
    /** Unix seconds of the newest final block at a moment: where the chain stood, what follows is as old as that until it is final. */
    blockTimeAt (moment: number): number {
      let [low, high] = [0, moments.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (moments[middle]! <= moment) low = middle + 1
        else high = middle
      }
      const slot = low > 0 ? first + low - 1 : first + Math.floor(moment / 400)
      return ledger.timeOf(slot - finalityLag)
    },
    /** How far back a state may be that was first seen at most `span` ms ago. */
    reach (now: number, span: number): number {
      const from = arrivals.findLastIndex(({ at }) => at <= now - span)
      return span + arrivals.slice(Math.max(0, from)).reduce((most, { behind }) => Math.max(most, behind), 0)
    }
  }
}
