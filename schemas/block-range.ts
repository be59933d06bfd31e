import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, DAO_EXAMPLE, decimalSchema, MINT_EXAMPLE, record } from './common.js'

/**
 * The block-range form of DEX Screener (adapter 1.1) and GeckoTerminal. A block is a slot; asset0 is the base token,
 * asset1 the quote token.
 */

const BASE = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'
const QUOTE = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USER = '8N3Tvc6B1wEVKVC6iD4s6eyaCNqX2ovj2xze2q3Q9DWH'
const TRANSACTION = '5sVfwG7nRqz7wCmKVtJX5UDBkkdqDUk3zDvuKJ6wEhRJ1cRGLNmCwsyyjVqRrqVmhPRvC7nAuiLDyKKVsKHNmJGt'

const blockNumber = (description: string) => Type.Integer({ minimum: 0, description })
const unixSeconds = (description: string) => Type.Integer({ minimum: 0, description })
const transaction = (description: string) => Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$', description })
const amount = (description: string) => decimalSchema(description, '1.5')

const BlockSchema = record('Block', 'A slot.', {
  blockNumber: blockNumber('Slot.'),
  blockTimestamp: unixSeconds('Its time, Unix seconds.')
}, { blockNumber: 400123456, blockTimestamp: 1769860800 })

export const LatestBlockSchema = record('LatestBlock',
  'The newest slot up to which `events` gives everything for good: finalized, every event of it stored, ' +
    'numbered without a gap and placed ' +
    'in its block. It moves while nothing is traded, and never back.', { block: BlockSchema })
export type LatestBlock = Static<typeof LatestBlockSchema>

const ASSET = {
  id: addressSchema('Mint.'),
  name: Type.String({ minLength: 1, description: 'Name; where the token has none, its symbol, else its address.' }),
  symbol: Type.String({
    minLength: 1,
    description: 'Symbol; where the token has none, the first eight characters of its address.'
  }),
  totalSupply: amount('Supply of the mint in whole tokens.'),
  circulatingSupply: amount('Total supply less the team performance package.')
}
const asset = { id: BASE, name: 'Meta', symbol: 'META', totalSupply: '25800000', circulatingSupply: '12900000' }

export const DexAssetSchema = record(
  'DexAsset', 'A token.', { asset: Type.Object(ASSET, { additionalProperties: false }) }, { asset }
)
export type DexAsset = Static<typeof DexAssetSchema>

export const GeckoTerminalAssetSchema = record('GeckoTerminalAsset', 'A token with its decimals.', {
  asset: Type.Object(
    { ...ASSET, decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimal places of the token.' }) },
    { additionalProperties: false }
  )
}, { asset: { ...asset, decimals: 6 } })
export type GeckoTerminalAsset = Static<typeof GeckoTerminalAssetSchema>

export const DexPairSchema = record('DexPair',
  'A pool. Nothing of it ever changes, so it carries no fee: the protocol\'s rate has changed before ' +
    'and may again.', {
    pair: Type.Object({
      id: addressSchema('Address of the DAO, which is the pool.', DAO_EXAMPLE),
      dexKey: Type.Literal('futarchy'),
      asset0Id: addressSchema('Mint of the base token.', MINT_EXAMPLE),
      asset1Id: addressSchema('Mint of the quote token.'),
      createdAtBlockNumber: Type.Optional(blockNumber(
        'Slot of the DAO\'s first event. Not there where no node has that event any more.'
      )),
      createdAtBlockTimestamp: Type.Optional(unixSeconds('Its time.')),
      createdAtTxnId: Type.Optional(transaction('Its transaction.')),
      creator: Type.Optional(addressSchema('Who paid for it.'))
    }, { additionalProperties: false })
  }, {
    pair: {
      id: DAO_EXAMPLE,
      dexKey: 'futarchy',
      asset0Id: BASE,
      asset1Id: QUOTE,
      createdAtBlockNumber: 390123456,
      createdAtBlockTimestamp: 1765860800,
      createdAtTxnId: TRANSACTION,
      creator: USER
    }
  })
export type DexPair = Static<typeof DexPairSchema>

const ReservesSchema = record('PoolReserves', 'The spot pool after an event.', {
  asset0: amount(
    'Base tokens in the spot pool after the event.'
  ),
  asset1: amount('Quote tokens in the spot pool after the event.')
}, { asset0: '1000.5', asset1: '912.25' })

const COMMON = {
  block: BlockSchema,
  txnId: transaction('Signature of the transaction.'),
  txnIndex: Type.Integer({ minimum: 0, description: 'Place of the transaction in its block.' }),
  eventIndex: Type.Integer({
    minimum: 0,
    description: 'Place of the event in its transaction: outer instruction × 65,536 + place among its inner ones.'
  }),
  maker: addressSchema('User of the event; of a proposal\'s launch and end who paid for the transaction.'),
  pairId: addressSchema('Pool.', DAO_EXAMPLE)
}
const RESERVES = { reserves: ReservesSchema }
const OPTIONAL_RESERVES = { reserves: Type.Optional(ReservesSchema) }
const event = {
  block: BlockSchema.examples[0] as Static<typeof BlockSchema>,
  txnId: TRANSACTION,
  txnIndex: 714,
  eventIndex: 131073,
  maker: USER,
  pairId: DAO_EXAMPLE
}
const reserves = ReservesSchema.examples[0] as Static<typeof ReservesSchema>

const SWAP = {
  priceNative: decimalSchema('Executed price: asset1 per asset0, fee included.', '0.912345678901'),
  metadata: Type.Optional(Type.Object({
    protocolFee: amount(
      'Part of what was paid, in its token, that did not go into the reserves. Not there where it is not known.'
    )
  }, { additionalProperties: false }))
}
export type LiquidityCause = 'provide' | 'withdraw' | 'proposal-launched' | 'proposal-ended' | 'liquidated'

const LIQUIDITY = {
  eventType: Type.Union([Type.Literal('join'), Type.Literal('exit')]),
  amount0: amount('Base tokens.'),
  amount1: amount('Quote tokens.'),
  metadata: Type.Object({
    cause: Type.Unsafe<LiquidityCause>({
      type: 'string',
      enum: ['provide', 'withdraw', 'proposal-launched', 'proposal-ended', 'liquidated'],
      description: 'While a proposal is live half of the pool backs its conditional markets: it leaves at the launch ' +
        'and comes back at the end.'
    })
  }, { additionalProperties: false })
}

interface EventPlace {
  block: Static<typeof BlockSchema>
  txnId: string
  txnIndex: number
  eventIndex: number
  maker: string
  pairId: string
  reserves?: Static<typeof ReservesSchema>
}
interface SwapTerms { eventType: 'swap', priceNative: string, metadata?: { protocolFee: string } }
export type BlockEvent = EventPlace & (
  | SwapTerms & { asset0In: string, asset1Out: string }
  | SwapTerms & { asset1In: string, asset0Out: string }
  | { eventType: 'join' | 'exit', amount0: string, amount1: string, metadata: { cause: LiquidityCause } }
)

/** The kinds of events; `tail`: the reserves, required or not. */
const eventSchemas = <E extends BlockEvent>(tail: typeof RESERVES | typeof OPTIONAL_RESERVES) =>
  Type.Unsafe<E>(Type.Union([
    Type.Object({
      ...COMMON,
      eventType: Type.Literal('swap'),
      asset0In: amount(
        'Base tokens paid, fee included.'
      ),
      asset1Out: amount('Quote tokens received.'),
      ...SWAP,
      ...tail
    }, { additionalProperties: false }),
    Type.Object({
      ...COMMON,
      eventType: Type.Literal('swap'),
      asset1In: amount(
        'Quote tokens paid, fee included.'
      ),
      asset0Out: amount('Base tokens received.'),
      ...SWAP,
      ...tail
    }, { additionalProperties: false }),
    Type.Object({ ...COMMON, ...LIQUIDITY, ...tail }, { additionalProperties: false })
  ]))

const ORDER =
  'By block, then txnIndex, then eventIndex. A range never changes once it is given. While a proposal is live, ' +
    'arbitrage of the program moves ' +
  'the reserves beyond what these events tell, as conditional swaps do: the difference is in the reserves of the ' +
    'next event.'
const EXAMPLE = {
  events: [
    {
      ...event,
      eventType: 'swap' as const,
      asset1In: '10',
      asset0Out: '10.85',
      priceNative: '0.921658986175',
      metadata: { protocolFee: '0.05' },
      reserves
    },
    {
      ...event,
      eventIndex: 131074,
      eventType: 'join' as const,
      amount0: '100',
      amount1: '91.2',
      metadata: {
        cause: 'provide' as const
      },
      reserves
    }
  ]
}

export const DexEventsSchema = record('DexEvents', 'The events of a range of blocks.', {
  events: Type.Array(eventSchemas<BlockEvent>(OPTIONAL_RESERVES), { description: ORDER })
}, EXAMPLE)
export type DexEvents = Static<typeof DexEventsSchema>

export const GeckoTerminalEventsSchema = record('GeckoTerminalEvents',
  'The events of a range of blocks, each with the reserves after it.', {
    events: Type.Array(
      eventSchemas<BlockEvent & Required<Pick<BlockEvent, 'reserves'>>>(RESERVES),
      { description: ORDER }
    )
  }, EXAMPLE)
export type GeckoTerminalEvents = Static<typeof GeckoTerminalEventsSchema>
