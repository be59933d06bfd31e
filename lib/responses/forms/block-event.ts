import { executedPrice, type PoolEvent } from '../../history/history.js'
import { textsOf } from '../../market/pool-figures.js'
import type { BlockEvent, LiquidityCause } from '../../../schemas/block-range.js'
import type { PoolTokens } from '../../live/snapshot.js'

/** What is behind an event that moves liquidity, by its kind. */
const CAUSES: Readonly<Record<string, LiquidityCause>> = {
  ProvideLiquidity: 'provide',
  WithdrawLiquidity: 'withdraw',
  LaunchProposal: 'proposal-launched',
  FinalizeProposal: 'proposal-ended',
  AdminCancelProposal: 'proposal-ended',
  ApplyLiquidation: 'liquidated'
}

/** Decimal places that readers take: with more an amount may be 0 to them, which ends their reading. */
const MAX_PLACES = 50

/** Whether amounts of a pool's tokens can be told. */
export const isTellable = ({ baseDecimals, quoteDecimals }: PoolTokens): boolean =>
  Math.max(baseDecimals, quoteDecimals) <= MAX_PLACES

/**
 * The event in this form; undefined where it has none: a swap that gave nothing, unknown amounts, or a token of too
 * many decimals. Throws a RangeError where its index in the block is not known.
 */
export function blockEvent (event: PoolEvent, tokens: PoolTokens): BlockEvent | undefined {
  if (!isTellable(tokens)) return undefined
  const { slot, at, signature, blockIndex, eventIndex, maker, dao, kind, swap, liquidity, reserves } = event
  if (blockIndex === null || maker === null) throw new RangeError(`${signature}: not placed in its block yet`)
  const { base, quote, price } = textsOf(tokens)
  const common = {
    block: { blockNumber: slot, blockTimestamp: at },
    txnId: signature,
    txnIndex: blockIndex,
    eventIndex,
    maker,
    pairId: dao,
    ...(reserves !== null && { reserves: { asset0: base(reserves.base), asset1: quote(reserves.quote) } })
  }
  if (swap !== null) {
    const paid = executedPrice(swap)
    if (paid === undefined) return undefined
    const { side, fee } = swap
    const [asset0, asset1, feeText] = [base(paid.base), quote(paid.quote), side === 'buy' ? quote : base]
    const told = {
      eventType: 'swap' as const,
      priceNative: price(paid),
      ...(fee !== null && { metadata: { protocolFee: feeText(fee) } }),
      ...common
    }
    return side === 'buy'
      ? { asset1In: asset1, asset0Out: asset0, ...told }
      : { asset0In: asset0, asset1Out: asset1, ...told }
  }
  const cause = CAUSES[kind]
  if (liquidity === null || cause === undefined) return undefined
  const isJoin = liquidity.base >= 0n && liquidity.quote >= 0n
  const isExit = liquidity.base <= 0n && liquidity.quote <= 0n
  if (isJoin === isExit) return undefined
  const sign = isJoin ? 1n : -1n
  return {
    eventType: isJoin ? 'join' : 'exit',
    amount0: base(sign * liquidity.base),
    amount1: quote(sign * liquidity.quote),
    metadata: { cause },
    ...common
  }
}
