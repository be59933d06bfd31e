import { type Static, Type } from '@sinclair/typebox'
import { record } from './common.js'

const describedPath = (what: string) => Type.String({ description: `Path and short description of ${what}.` })

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
    description: 'Supply of launchpad tokens by where the tokens are; every other token circulates as a whole',
    circulatingSupply: 'Total supply minus the team performance package',
    teamPerformancePackage: 'Locked team tokens with a price-based unlock; not circulating',
    protocolAmmLiquidity: 'Tokens in the protocol\'s internal AMM used for spot trading; circulating',
    externalLpLiquidity: 'Tokens in the external pool owned by the protocol (POL); circulating'
  },
  note: 'DAOs are discovered automatically from on-chain data. Every path is described at /documentation, as ' +
    'OpenAPI at /documentation/json; /market shows the pools.'
}

export const RootSchema = record('Root', 'The service describes itself.', {
  name: Type.String({ description: 'Name of the service.' }),
  version: Type.String({ description: 'Version of the service.', examples: ['2.0.0'] }),
  documentation: Type.String({ description: 'Address of the listing specification that the answers follow.' }),
  endpoints: Type.Object({
    tickers: describedPath('the tickers'),
    supply: describedPath('the full supply record'),
    supply_total: describedPath('the total supply'),
    supply_circulating: describedPath('the circulating supply'),
    volume_aggregate: describedPath('the aggregate volume'),
    health: Type.String({ description: 'Path of the health record.' })
  }, { additionalProperties: false }),
  dex: Type.Object({
    fork_type: Type.String({ description: 'DEX_FORK_TYPE, as configured.' }),
    factory_address: Type.String({ description: 'FACTORY_ADDRESS, as configured.' }),
    router_address: Type.String({ description: 'ROUTER_ADDRESS, as configured.' })
  }, { additionalProperties: false }),
  supplyBreakdown: Type.Object({
    description: Type.String({ description: 'What the categories are.' }),
    circulatingSupply: Type.String({ description: 'What circulates.' }),
    teamPerformancePackage: Type.String({ description: 'What the team package is.' }),
    protocolAmmLiquidity: Type.String({ description: 'What the internal pool holds.' }),
    externalLpLiquidity: Type.String({ description: 'What the external pool holds for the protocol.' })
  }, { additionalProperties: false }),
  note: Type.String({ description: 'How DAOs are found, and where every path is described.' })
}, {
  name: 'DAO Market Data API',
  documentation: 'https://example.org/listing-specification',
  ...ROOT_TEXTS,
  dex: {
    fork_type: 'Custom',
    factory_address: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq',
    router_address: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
  }
})
export type Root = Static<typeof RootSchema>
