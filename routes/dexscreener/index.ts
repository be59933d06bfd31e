import { DexAssetSchema, DexEventsSchema } from '../../schemas/block-range.js'
import { blockRangeRoutes } from './endpoints.js'

export default blockRangeRoutes(
  { reader: 'DEX Screener', name: 'DexScreener', asset: DexAssetSchema, events: DexEventsSchema },
  ({ forms }) => forms.dexscreener
)
