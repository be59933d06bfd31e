import { type Static, Type } from '@sinclair/typebox'

const describedPath = (what: string) => Type.String({ description: `Path and short description of ${what}.` })

export const RootSchema = Type.Object({
  name: Type.String({ description: 'Name of the service.' }),
  version: Type.String({ description: 'Version of the service.', examples: ['1.0.0'] }),
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
  note: Type.String({ description: 'How DAOs are found.' })
}, { $id: 'Root', description: 'The service describes itself.', additionalProperties: false })
export type Root = Static<typeof RootSchema>
