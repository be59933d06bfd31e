import { type Static, Type } from '@sinclair/typebox'
import {
  address, boolean, DAO_EXAMPLE, decimal, list, nullable, object, record, slot, symbol, VAULT_EXAMPLE
} from './common.js'
import { TickerSchema } from './ticker.js'

const TreasuryTokenSchema = record('TreasuryToken', 'A token account of the vault.', {
  mint: address('The token.'),
  symbol: symbol('token', 'USDC'),
  amount: decimal('In whole tokens, exact.', '5000000'),
  usd: nullable(decimal(
    'What it is worth by the settings (USD_MINTS, USD_PRICED_MINTS), 2 places; null where they give it no value.',
    '5000000.00'
  )),
  address: address('The token account.', '43GopUATK1nhWwmj1cm2mN1TocvaxdXgKg8VD64ZtviR')
})

export const SPENDING_LIMIT = {
  spending_limit: nullable(object({
    amount_per_month: decimal('Whole quote tokens.', '50000'),
    members: Type.Array(address('A member.', VAULT_EXAMPLE), { description: 'Who may spend.' })
  }, 'What may be spent without a proposal; null: nothing, or nothing that is a sum of quote tokens a month.'))
}

const sides = (base: string, quote: string) =>
  ({ base: decimal('Base tokens.', base), quote: decimal('Quote tokens.', quote) })
const TREASURY = {
  dao: address('The DAO.', DAO_EXAMPLE),
  symbol: symbol('base token', 'META'),
  treasury_vault_address: address('The vault of its multisig, which owns the token accounts.', VAULT_EXAMPLE),
  treasury_usdc_aum: decimal(
    'Whole dollars in them: of the mints of USD_MINTS. Trailing zeros trimmed.', '5000000'
  ),
  own_tokens: decimal('Base tokens in them: worth nothing to the DAO itself, and in no sum here.', '120000'),
  internal_liquidity: object({
    ...sides('2000000', '1100000'),
    in_proposal: boolean(
      'A proposal is live: half of the pool backs its markets, can\'t be withdrawn, and is not counted until it ends.',
      false
    )
  }, 'What its own position would withdraw from the spot pool, rounded down as the program does.'),
  external_liquidity: nullable(object({
    ...sides('700000.5', '250000.25'),
    position: address('The position.', 'CdBXZ7iodqp95tZuk7SUHfBn5a4PKUbjHqnx5N33zNyM')
  }, 'The same of the position that its launch opened in the external pool; null: none, or its NFT has left the ' +
    'vault.')),
  nav_usd: nullable(decimal(
    'Dollars and priced tokens of the vault + quote side of own liquidity, in USD; null where that is in a token ' +
      'without a value.', '6350000.25')),
  circulating_supply: decimal('As the supply record has it, at the same slot.', '12900000'),
  nav_per_token: nullable(decimal(
    'NAV ÷ (circulating supply − own tokens − base side of own liquidity); null where that is not above 0.',
    '0.629500000000'
  )),
  price_usd: nullable(decimal(
    'Spot price in USD at the same slot; null without one.', TickerSchema.examples[0].last_price
  )),
  premium: nullable(Type.String({
    pattern: '^-?\\d+\\.\\d{4}$',
    description: 'price_usd ÷ nav_per_token − 1: 0.4493 is 44.93 % above; null without either, or of no NAV.',
    examples: ['0.4493']
  })),
  ...SPENDING_LIMIT,
  runway_months: nullable(
    decimal('Dollars ÷ what may be spent in a month, 2 places; null without such a limit.', '100.00')
  ),
  tokens_complete: boolean(
    'Whether all token accounts of the vault are counted. false in lists, and where no node lists the accounts of an ' +
      'owner, or none as of now: those associated with the pool\'s tokens and USD_MINTS are; and where there are ' +
      'more than 60.'
  ),
  slot: slot('Slot of all of it.')
}
export const TreasuryRowSchema = record('TreasuryRow', 'The treasury of one DAO.', TREASURY)
export type TreasuryRow = Static<typeof TreasuryRowSchema>
export const TreasuriesSchema = list(
  'Treasuries', 'Largest NAV first, then by DAO; those without one come last.', TreasuryRowSchema
)
export type Treasuries = Static<typeof TreasuriesSchema>

export const TreasurySchema = record('Treasury', 'The treasury of one DAO, with each token account.', {
  ...TREASURY,
  tokens: Type.Array(
    TreasuryTokenSchema, { description: 'What the vault holds: dollars first, then what has a value, then by mint.' }
  )
})
export type Treasury = Static<typeof TreasurySchema>
