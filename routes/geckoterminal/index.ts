import { GeckoTerminalAssetSchema, GeckoTerminalEventsSchema } from '../../schemas/block-range.js'
import { blockRangeRoutes } from '../dexscreener/endpoints.js'

export default blockRangeRoutes({
  reader: 'GeckoTerminal',
  name: 'GeckoTerminal',
  asset: GeckoTerminalAssetSchema,
  events: GeckoTerminalEventsSchema
}, ({ forms }) => forms.geckoterminal)
