import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { RootSchema, type Root } from '../schemas/root.js'
import { COMMON_FAILURES, json } from '../schemas/responses.js'
import { SERVICE_NAME, SERVICE_VERSION } from '../lib/version.js'

const LISTING_SPECIFICATION = 'https://docs.google.com/document/d/1v27QFoQq1SKT3Priq3aqPgB70Xd_PnDzbOCiuoCyixw'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { forkType, factory, router } = fastify.config
  const root: Root = {
    name: SERVICE_NAME,
    version: SERVICE_VERSION,
    documentation: LISTING_SPECIFICATION,
    endpoints: {
      tickers: '/api/tickers - All trading pairs with price, 24-hour volumes and liquidity',
      supply: '/api/supply/:mintAddress - Supply of a token with its breakdown',
      supply_total: '/api/supply/:mintAddress/total - Total supply as plain text',
      supply_circulating: '/api/supply/:mintAddress/circulating - Circulating supply as plain text',
      volume_aggregate: '/api/volume/aggregate - Volume of all DAOs since launch, by day and by token',
      health: '/health'
    },
    dex: { fork_type: forkType, factory_address: factory, router_address: router },
    supplyBreakdown: {
      description: 'Supply of launchpad tokens by where the tokens are; every other token circulates as a whole',
      circulatingSupply: 'Total supply minus the team performance package',
      teamPerformancePackage: 'Locked team tokens with a price-based unlock; not circulating',
      protocolAmmLiquidity: 'Tokens in the protocol\'s internal AMM used for spot trading; circulating',
      externalLpLiquidity: 'Tokens in the external pool owned by the protocol (POL); circulating'
    },
    note: 'DAOs are discovered automatically from on-chain data.'
  }

  fastify.get('/', {
    schema: {
      operationId: 'getRoot',
      summary: 'The service describes itself',
      description: 'Name, version, endpoints, the configured programs, and what the supply categories mean.',
      tags: ['service'],
      response: { 200: json(RootSchema, 'The service, its endpoints and its settings that readers may need.'), ...COMMON_FAILURES }
    }
  }, async () => root)
}
export default routes
