import type { Static } from '@sinclair/typebox'
import { address, decimal, decimals, digits, MINT_EXAMPLE, number, record } from './common.js'

export const SupplySchema = record('Supply', 'Supply of a token by where the tokens are. All parts are of one slot.', {
  mint: address('The mint.', MINT_EXAMPLE),
  totalSupply: decimal('Supply of the mint in whole tokens, exact, without trailing zeros.', '25800000'),
  circulatingSupply: decimal(
    'Total supply less the team performance package, and less what nobody has claimed of a token issued anew for a ' +
      'DAO.', '12900000'),
  teamPerformancePackage: decimal(
    'Team tokens still locked behind a price-based unlock; not circulating. "0" for a token of no launch.', '12900000'
  ),
  protocolAmmLiquidity: decimal(
    'Tokens in the vault of the launch\'s own DAO, or, for a token of no launch, in the base vaults of the DAOs that ' +
      'trade it; circulating.', '1834200.5'),
  externalLpLiquidity: decimal(
    'Tokens that the protocol\'s own position in the external pool stands for, by its liquidity and the price; ' +
      'circulating. "0" for a token of no launch.', '712345.123456'),
  decimals: decimals('Decimal places of the token.'),
  rawTotalSupply: digits('Total supply in raw units.', '25800000000000')
})
export type Supply = Static<typeof SupplySchema>

export const SupplyAnswerSchema = record('SupplyAnswer', 'The total supply, and the record it is taken from.', {
  result: decimal('The total supply, as data.totalSupply.', '25800000'),
  data: SupplySchema
})

export const JupiterTotalSchema = record('JupiterTotalSupply', 'The total supply as a number.', {
  totalSupply: number('Supply of the mint in whole tokens, with every digit it has.', 25800000.5)
})

export const JupiterCirculatingSchema = record('JupiterCirculatingSupply', 'The circulating supply as a number.', {
  circulatingSupply: number('Total supply less the team performance package.', 12900000)
})
