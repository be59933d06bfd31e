/** What an event of an unknown kind did to its pool is told by the events on both sides. */
import { UNKNOWN_KIND, type Sides } from '../../protocol/events.js'
import type { StoredEvent } from './rows.js'

export type ToldEvent = Pick<StoredEvent, 'seq' | 'kind' | 'reason' | 'reserves' | 'fees' | 'swap' | 'liquidity'>

/** The spot pool after an event. */
interface Pool { reserves: Sides, fees: Sides }

const isSame = (a: Sides, b: Sides): boolean => a.quote === b.quote && a.base === b.base
const plus = (a: Sides, b: Sides): Sides => ({ quote: a.quote + b.quote, base: a.base + b.base })

/** Its fee included. */
function broughtBy ({ side, input, output }: NonNullable<ToldEvent['swap']>): Sides {
  return side === 'buy' ? { quote: input, base: -output } : { quote: -output, base: input }
}

/** After these there is no live proposal, or one. */
const SPOT = new Set([
  'FinalizeProposal', 'AdminCancelProposal', 'ProvideLiquidity', 'WithdrawLiquidity', 'CollectFees', 'InitializeDao'
])
const LIVE = new Set(['LaunchProposal', 'ConditionalSwap'])

/** Whether an event explains the change of a pool; undefined: it does not tell all that it moves. */
function leads (before: Pool, { kind, swap, liquidity }: ToldEvent, after: Pool, isSpot: boolean): boolean | undefined {
  if (kind === 'CollectFees') return isSame(before.reserves, after.reserves)
  if (liquidity !== null) return isSame(plus(before.reserves, liquidity), after.reserves)
  const brought = swap === null ? { quote: 0n, base: 0n } : broughtBy(swap)
  const isWhole = isSame(plus(plus(before.reserves, before.fees), brought), plus(after.reserves, after.fees))
  return isWhole || (swap !== null && isSpot) ? isWhole : undefined
}

/** By number whether an event of an unknown kind moved the reserves, where that can be told; `now`: after the last. */
export function movedAcross (events: readonly ToldEvent[], now?: Sides): Map<bigint, boolean> {
  const found = new Map<bigint, boolean>()
  let pool: Pool | undefined
  let isSpot = false
  let open: bigint[] = []
  let last: bigint | undefined
  const tell = (left: boolean | undefined): void => {
    if (left !== undefined) for (const seq of open) found.set(seq, !left)
    open = []
  }
  for (const event of events) {
    const { seq, kind, reason, reserves, fees, swap, liquidity } = event
    const isGap = last !== undefined && seq !== last + 1n
    last = seq
    const isSilent = reserves === null && (swap !== null || liquidity !== null)
    const isUntold = isGap || isSilent || (reason !== null && kind !== 'Unknown')
    if (isUntold) [pool, open] = [undefined, []]
    if (reason === UNKNOWN_KIND) open.push(seq)
    else if (reason !== null) pool = undefined
    if (SPOT.has(kind) || LIVE.has(kind)) isSpot = SPOT.has(kind)
    if (reserves === null || fees === null) continue
    const after = { reserves, fees }
    tell(pool === undefined ? undefined : leads(pool, event, after, isSpot))
    pool = after
  }
  if (now !== undefined && pool !== undefined) tell(isSame(pool.reserves, now))
  return found
}
