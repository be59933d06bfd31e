import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, DAO_EXAMPLE, decimalSchema, list, record, VAULT_EXAMPLE } from './common.js'
import { TickerSchema } from './ticker.js'

const example = TickerSchema.examples[0]!
export const nullableDecimal = (description: string, value: string) => Type.Unsafe<string | null>(
  { ...decimalSchema(description, value), type: ['string', 'null'] }
)
const TreasuryTokenSchema = record('TreasuryToken', 'A token account of the vault.', {
  mint: addressSchema('The token.'),
  symbol: Type.String({ description: 'As its creator wrote it; empty where it has no metadata.', examples: ['USDC'] }),
  amount: decimalSchema('In whole tokens, exact.', '5000000'),
  usd: nullableDecimal(
    'What it is worth by the settings (USD_MINTS, USD_PRICED_MINTS), 2 places; null where they give it no value.',
    '5000000.00'
  ),
  address: addressSchema('The token account.')
}, { address: '43GopUATK1nhWwmj1cm2mN1TocvaxdXgKg8VD64ZtviR' })

const LimitSchema = Type.Unsafe<{ amount_per_month: string, members: string[] } | null>({
  ...Type.Object({
    amount_per_month: decimalSchema('Whole quote tokens.', '50000'),
    members: Type.Array(addressSchema('Who may spend.'))
  }, { additionalProperties: false }),
  type: ['object', 'null'],
  description: 'What may be spent without a proposal; null: nothing.'
})
export const spendingLimit = { spending_limit: LimitSchema }

const INTERNAL_EXAMPLE = { base: '2000000', quote: '1100000', in_proposal: false }
const EXTERNAL_EXAMPLE = {
  base: '700000.5', quote: '250000.25', position: 'CdBXZ7iodqp95tZuk7SUHfBn5a4PKUbjHqnx5N33zNyM'
}
const TREASURY = {
  dao: addressSchema('The DAO.', DAO_EXAMPLE),
  symbol: Type.String(
    { description: 'Of its base token, as its creator wrote it; empty where it has no metadata.', examples: ['META'] }
  ),
  treasury_vault_address: addressSchema('The vault of its multisig, which owns the token accounts.', VAULT_EXAMPLE),
  treasury_usdc_aum: decimalSchema(
    'Whole dollars in them: of the mints of USD_MINTS. Trailing zeros trimmed.', '5000000'
  ),
  own_tokens: decimalSchema('Base tokens in them: worth nothing to the DAO itself, and in no sum here.', '120000'),
  internal_liquidity: Type.Object({
    base: decimalSchema('Base tokens.', '2000000'),
    quote: decimalSchema('Quote tokens.', '1100000'),
    in_proposal: Type.Boolean(
      {
        description: 'A proposal is live: half of the pool backs its markets, can\'t be withdrawn, and is not ' +
          'counted until it ends.',
        examples: [false]
      }
    )
  }, {
    description: 'What its own position would withdraw from the spot pool, rounded down as the program does.',
    additionalProperties: false,
    examples: [INTERNAL_EXAMPLE]
  }),
  external_liquidity: Type.Unsafe<{ base: string, quote: string, position: string } | null>({
    ...Type.Object({
      base: decimalSchema('Base tokens.', '700000.5'),
      quote: decimalSchema('Quote tokens.', '250000.25'),
      position: addressSchema('The position.')
    }, { additionalProperties: false }),
    type: ['object', 'null'],
    description: 'The same of the position that its launch opened in the external pool; null: none, or its NFT has ' +
      'left the vault.',
    examples: [EXTERNAL_EXAMPLE]
  }),
  nav_usd: nullableDecimal(
    'Dollars and priced tokens of the vault + quote side of own liquidity, in USD; null where that is in a token ' +
      'without a value.',
    '6350000.25'
  ),
  circulating_supply: decimalSchema('As the supply record has it, at the same slot.', '12900000'),
  nav_per_token: nullableDecimal(
    'NAV ÷ (circulating supply − own tokens − base side of own liquidity); null where that is not above 0.',
    '0.629500000000'
  ),
  price_usd: nullableDecimal('Spot price in USD at the same slot; null without one.', example.last_price),
  premium: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: '^-?\\d+\\.\\d{4}$',
    description: 'price_usd ÷ nav_per_token − 1: 0.4493 is 44.93 % above; null without either, or of no NAV.',
    examples: ['0.4493']
  }),
  ...spendingLimit,
  runway_months: nullableDecimal('Dollars ÷ what may be spent in a month, 2 places; null without a limit.', '100.00'),
  slot: Type.Integer({ minimum: 0, description: 'Slot of all of it.', examples: [400000000] })
}
export const TreasuryRowSchema = record('TreasuryRow', 'The treasury of one DAO.', TREASURY, {
  spending_limit: { amount_per_month: '50000', members: ['6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6'] }
})
export type TreasuryRow = Static<typeof TreasuryRowSchema>
export const TreasuriesSchema = list(
  'Treasuries', 'Largest NAV first, then by DAO; those without one come last.', TreasuryRowSchema
)
export type Treasuries = Static<typeof TreasuriesSchema>

export const TreasurySchema = record('Treasury', 'The treasury of one DAO, with each token account.', {
  ...TREASURY,
  tokens: Type.Array(
    TreasuryTokenSchema, { description: 'What the vault holds: dollars first, then what has a value, then by mint.' }
  ),
  tokens_complete: Type.Boolean({
    description: 'Whether these are all. false where no node lists the token accounts of an owner (then they are of ' +
      'the pool\'s tokens and of USD_MINTS), or there are more than 60.',
    examples: [true]
  })
}, {
  spending_limit: { amount_per_month: '50000', members: ['6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6'] }
})
export type Treasury = Static<typeof TreasurySchema>
