import { type Static, type TProperties, type TUnion, Type } from '@sinclair/typebox'
import {
  address, DAO_EXAMPLE, decimal, eventIndex, exampleOf, integer, MINT_EXAMPLE, NAMED, object, oneOf, record,
  SECOND_EXAMPLE
} from './common.js'
import { SupplySchema } from './supply.js'
import { TickerSchema } from './ticker.js'

/**
 * The block-range form of DEX Screener (adapter 1.1) and GeckoTerminal. A block is a slot; asset0 is the base token,
 * asset1 the quote token.
 */

const BLOCK = 400123456
const USER = '8N3Tvc6B1wEVKVC6iD4s6eyaCNqX2ovj2xze2q3Q9DWH'
const TRANSACTION = '5sVfwG7nRqz7wCmKVtJX5UDBkkdqDUk3zDvuKJ6wEhRJ1cRGLNmCwsyyjVqRrqVmhPRvC7nAuiLDyKKVsKHNmJGt'

const transaction = (description: string) =>
  Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$', description, examples: [TRANSACTION] })

const BlockSchema = record('Block', 'A slot.', {
  blockNumber: integer('Slot.', BLOCK), blockTimestamp: integer('Its time, Unix seconds.', SECOND_EXAMPLE)
})

export const LatestBlockSchema = record('LatestBlock',
  'The newest slot up to which `events` gives everything for good: finalized, every event of it stored, numbered ' +
    'without a gap and placed in its block. It moves while nothing is traded, and never back.', { block: BlockSchema })
export type LatestBlock = Static<typeof LatestBlockSchema>

const ASSET = {
  id: address('Mint.', MINT_EXAMPLE),
  ...NAMED,
  totalSupply: decimal('Supply of the mint in whole tokens.', '25800000'),
  circulatingSupply: decimal('Total supply less the team performance package.', '12900000')
}

export const DexAssetSchema = record('DexAsset', 'A token.', { asset: object(ASSET, 'The token.') })
export type DexAsset = Static<typeof DexAssetSchema>

export const GeckoTerminalAssetSchema = record('GeckoTerminalAsset', 'A token with its decimals.', {
  asset: object({ ...ASSET, decimals: SupplySchema.properties.decimals }, 'The token.')
})
export type GeckoTerminalAsset = Static<typeof GeckoTerminalAssetSchema>

export const DexPairSchema = record('DexPair',
  'A pool. Nothing of it ever changes, so it carries no fee: the protocol\'s rate has changed before and may again.', {
    pair: object({
      id: TickerSchema.properties.pool_id,
      dexKey: Type.Literal('futarchy', { description: 'The exchange: always the same.' }),
      asset0Id: address('Mint of the base token.', MINT_EXAMPLE),
      asset1Id: address('Mint of the quote token.'),
      createdAtBlockNumber: Type.Optional(integer(
        'Slot of the DAO\'s first event. Not there where no node has that event any more.', 390123456
      )),
      createdAtBlockTimestamp: Type.Optional(integer('Its time.', 1765860800)),
      createdAtTxnId: Type.Optional(transaction('Its transaction.')),
      creator: Type.Optional(address('Who paid for it.', USER))
    }, 'The pool.')
  })
export type DexPair = Static<typeof DexPairSchema>

const ReservesSchema = record('PoolReserves', 'The spot pool after an event.', {
  asset0: decimal('Base tokens in the spot pool after the event.', '1000.5'),
  asset1: decimal('Quote tokens in the spot pool after the event.', '912.25')
})

const PLACE = {
  block: BlockSchema,
  txnId: transaction('Signature of the transaction.'),
  txnIndex: integer('Place of the transaction in its block.', 714),
  eventIndex: eventIndex(131073),
  maker: address('User of the event; of a proposal\'s launch and end who paid for the transaction.', USER),
  pairId: address('Pool.', DAO_EXAMPLE)
}
const SWAP = {
  eventType: Type.Literal('swap', { description: 'A trade.' }),
  priceNative: decimal('Executed price: asset1 per asset0, fee included.', '0.921658986175'),
  metadata: Type.Optional(object({
    protocolFee: decimal(
      'Part of what was paid, in its token, that did not go into the reserves. Not there where it is not known.', '0.05'
    )
  }, 'What else is known of it.')),
  ...PLACE
}
const CAUSES = ['provide', 'withdraw', 'proposal-launched', 'proposal-ended', 'liquidated'] as const
export type LiquidityCause = typeof CAUSES[number]
const LIQUIDITY = {
  eventType: Type.Union([Type.Literal('join'), Type.Literal('exit')], { description: 'Liquidity that came, or went.' }),
  amount0: decimal('Base tokens.', '100'),
  amount1: decimal('Quote tokens.', '91.2'),
  metadata: object({
    cause: oneOf(CAUSES, 'While a proposal is live half of the pool backs its conditional markets: it leaves at the ' +
      'launch and comes back at the end.')
  }, 'What is behind it.'),
  ...PLACE
}

/** An event; `reserves`: those after it, required or not. */
const eventSchema = <R extends TProperties>(reserves: R) => Type.Union([
  object({
    asset1In: decimal('Quote tokens paid, fee included.', '10'),
    asset0Out: decimal('Base tokens received.', '10.85'),
    ...SWAP,
    ...reserves
  }),
  object({
    asset0In: decimal('Base tokens paid, fee included.', '10.85'),
    asset1Out: decimal('Quote tokens received.', '10'),
    ...SWAP,
    ...reserves
  }),
  object({ ...LIQUIDITY, ...reserves })
])
const EventSchema = eventSchema({ reserves: Type.Optional(ReservesSchema) })
export type BlockEvent = Static<typeof EventSchema>

const events = <E extends TUnion>(schema: E) => ({
  events: Type.Array(schema, {
    description: 'By block, then txnIndex, then eventIndex. A range never changes once it is given. While a proposal ' +
      'is live, arbitrage of the program moves the reserves beyond what these events tell, as conditional swaps do: ' +
      'the difference is in the reserves of the next event.',
    examples: [[exampleOf(schema.anyOf[0]!), exampleOf(schema.anyOf[2]!)]]
  })
})

export const DexEventsSchema = record('DexEvents', 'The events of a range of blocks.', events(EventSchema))
export type DexEvents = Static<typeof DexEventsSchema>

export const GeckoTerminalEventsSchema = record('GeckoTerminalEvents',
  'The events of a range of blocks, each with the reserves after it.',
  events(eventSchema({ reserves: ReservesSchema })))
