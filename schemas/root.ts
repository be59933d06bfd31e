import { type Static, type TString, Type } from '@sinclair/typebox'
import { record, text } from './common.js'

/** Texts by name, each with its example. */
const texts = <N extends string>(examples: Record<N, string>, whole: string, description: string) => Type.Object(
  Object.fromEntries(Object.entries<string>(examples).map(([name, example]) => [name, text(description, example)])) as
    Record<N, TString>,
  { description: whole, additionalProperties: false }
)

/** What of the record no setting changes. */
export const ROOT_TEXTS = {
  endpoints: {
    tickers: '/api/tickers - All trading pairs with price, 24-hour volumes and liquidity',
    supply: '/api/supply/:mintAddress - Supply of a token with its breakdown',
    supply_total: '/api/supply/:mintAddress/total - Total supply as plain text',
    supply_circulating: '/api/supply/:mintAddress/circulating - Circulating supply as plain text',
    volume_aggregate: '/api/volume/aggregate - Volume of all DAOs since launch, by day and by token',
    health: '/health'
  },
  supplyBreakdown: {
    description: 'Supply of launchpad tokens by where the tokens are; every other token circulates as a whole, but ' +
      'for what nobody has claimed of one issued anew for a DAO',
    circulatingSupply: 'Total supply minus the team performance package',
    teamPerformancePackage: 'Locked team tokens with a price-based unlock; not circulating',
    protocolAmmLiquidity: 'Tokens in the protocol\'s internal AMM used for spot trading; circulating',
    externalLpLiquidity: 'Tokens in the external pool owned by the protocol (POL); circulating'
  },
  note: 'DAOs are discovered automatically from on-chain data. Every path is described at /documentation, as ' +
    'OpenAPI at /documentation/json; /market shows the pools.'
}

export const RootSchema = record('Root', 'The service describes itself.', {
  name: text('Name of the service.', 'DAO Market Data API'),
  version: text('Version of the service.', '2.0.0'),
  documentation: text(
    'Address of the listing specification that the answers follow.', 'https://example.org/listing-specification'
  ),
  endpoints: texts(ROOT_TEXTS.endpoints, 'The specified endpoints.', 'Path and short description.'),
  dex: texts({
    fork_type: 'Custom',
    factory_address: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq',
    router_address: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
  }, 'The exchange.', 'DEX_FORK_TYPE, FACTORY_ADDRESS, ROUTER_ADDRESS, as configured.'),
  supplyBreakdown: texts(ROOT_TEXTS.supplyBreakdown, 'The supply record in words.', 'What a category of supply is.'),
  note: text('How DAOs are found, and where every path is described.', ROOT_TEXTS.note)
})
export type Root = Static<typeof RootSchema>
