import { type Static, Type } from '@sinclair/typebox'
import { AddressSchema, decimalSchema } from './common.js'

export const SupplySchema = Type.Object({
  mint: Type.String({ ...AddressSchema, description: 'The mint.' }),
  totalSupply: decimalSchema('Supply of the mint in whole tokens, exact, without trailing zeros.', '25800000'),
  circulatingSupply: decimalSchema('Total supply less the team performance package.', '12900000'),
  teamPerformancePackage: decimalSchema('Team tokens still locked behind a price-based unlock; not circulating. "0" for a token of no launch.', '12900000'),
  protocolAmmLiquidity: decimalSchema('Tokens in the vault of the DAO\'s own pool; circulating. "0" for a token of no launch.', '1834200.5'),
  externalLpLiquidity: decimalSchema('Tokens that the protocol\'s own position in the external pool stands for, by its liquidity and the price; circulating. "0" for a token of no launch.', '712345.123456'),
  decimals: Type.Integer({ minimum: 0, maximum: 255, description: 'Decimal places of the token.' }),
  rawTotalSupply: Type.String({ pattern: '^\\d+$', description: 'Total supply in raw units.', examples: ['25800000000000'] })
}, { $id: 'Supply', description: 'All parts are of one slot.', additionalProperties: false })
export type Supply = Static<typeof SupplySchema>

export const SupplyAnswerSchema = Type.Object({
  result: decimalSchema('The total supply, as data.totalSupply.', '25800000'),
  data: SupplySchema
}, { $id: 'SupplyAnswer', additionalProperties: false })
export type SupplyAnswer = Static<typeof SupplyAnswerSchema>

/** Any text is let through to the handler, which answers 400 in the words of the contract. */
export const MintParamsSchema = Type.Object({
  mintAddress: Type.String({ description: 'Address of a token mint.', examples: ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] })
})
