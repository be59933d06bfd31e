import type { ChainPosition, PoolEvent } from '../../history/history.js'
import { textsOf } from '../../market/pool-figures.js'
import type { BlockEvent, LiquidityCause } from '../../../schemas/block-range.js'
import type { PoolTokens } from './pool-tokens.js'

export const positionOf = ({ slot, blockIndex, eventIndex }: PoolEvent): ChainPosition =>
  ({ slot, blockIndex: blockIndex ?? 0, eventIndex })

/** What is behind an event that moves liquidity, by its kind. */
const CAUSES: Readonly<Record<string, LiquidityCause>> = {
  ProvideLiquidity: 'provide',
  WithdrawLiquidity: 'withdraw',
  LaunchProposal: 'proposal-launched',
  FinalizeProposal: 'proposal-ended',
  AdminCancelProposal: 'proposal-ended',
  ApplyLiquidation: 'liquidated'
}

/** Places of an amount that are read: with more of them an amount may be 0 to who reads it, which ends all reading. */
const MAX_PLACES = 50

/** Whether amounts of a pool's tokens can be told in this form. */
export const isTellable = ({ baseDecimals, quoteDecimals }: PoolTokens): boolean =>
  Math.max(baseDecimals, quoteDecimals) <= MAX_PLACES

/**
 * The event in this form; undefined where it has no word for it: a swap that gave nothing, an event whose amounts are
 * lost, or of a token with more places than are read. Throws a RangeError where its place in its block is not known.
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
    const { side, input, output, fee } = swap
    if (input === 0n || output === 0n) return undefined
    const isBuy = side === 'buy'
    const legs = isBuy ? { quote: input, base: output } : { quote: output, base: input }
    const told = {
      eventType: 'swap' as const,
      priceNative: price(legs),
      ...(fee !== null && { metadata: { protocolFee: (isBuy ? quote : base)(fee) } }),
      ...common
    }
    return isBuy
      ? { asset1In: quote(input), asset0Out: base(output), ...told }
      : { asset0In: base(input), asset1Out: quote(output), ...told }
  }
  const cause = CAUSES[kind]
  if (liquidity === null || cause === undefined) return undefined
  const isJoin = liquidity.base >= 0n && liquidity.quote >= 0n
  const isExit = liquidity.base <= 0n && liquidity.quote <= 0n
  // Neither, or nothing at all
  if (isJoin === isExit) return undefined
  const [amount0, amount1] = isJoin ? [liquidity.base, liquidity.quote] : [-liquidity.base, -liquidity.quote]
  return {
    eventType: isJoin ? 'join' : 'exit',
    amount0: base(amount0),
    amount1: quote(amount1),
    metadata: { cause },
    ...common
  }
}
