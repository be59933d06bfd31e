import type { FreshCache } from '../../live/fresh.js'
import type { Supply } from '../../../schemas/supply.js'
import type { Kept, Sources } from '../sources.js'
import type { TickerList } from '../tickers.js'

export interface FormSources extends Sources {
  tickers: Kept<TickerList>
  supply: FreshCache<string, Supply>
}
