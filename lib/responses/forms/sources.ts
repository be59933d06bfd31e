import type { Kept } from '../../live/fresh.js'
import type { Supply } from '../../../schemas/supply.js'
import type { Sources } from '../sources.js'
import type { TickerList } from '../tickers.js'

export interface FormSources extends Sources {
  tickers: Kept<TickerList>
  supply: Kept<Supply, [mint: string]>
}
