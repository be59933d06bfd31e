import { inSlices } from '../../async.js'
import { toFixed, wholeTokens } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import { headOf, keepOne } from '../sources.js'
import { changeText, ifKnown, textsOf } from '../../market/pool-figures.js'
import type { FormSources } from './sources.js'

const VOLUME_DIGITS = 8

/**
 * The tickers, deepest first, each with what its trades of the same 24 hours tell besides: the highest and the lowest
 * price that one executed at (without a trade the last price), and the change in percent, null where there is no trade
 * to compare with. Kept. Throws what the tickers throw, WARMING_UP where a window is not whole.
 */
export function createWindowTickers (sources: FormSources) {
  const { tickers, history } = sources

  return keepOne(sources, async parts => {
    const list = await tickers(parts)
    const head = headOf(sources, parts)
    const windows = await history.read(reading => reading.windows(head.time))
    return await inSlices(list.tickers, ticker => {
      const pair = list.pairs.get(ticker.pool_id)!
      const window = windows.get(ticker.pool_id)
      if (window?.complete !== true) {
        throw new ServiceError('WARMING_UP', `the trades of ${ticker.pool_id} are not known yet`)
      }
      const { base, quote, high, low, before, last } = window
      const { price } = textsOf(pair)
      return {
        ticker: {
          ...ticker,
          base_volume: toFixed(wholeTokens(base, pair.baseDecimals), VOLUME_DIGITS),
          target_volume: toFixed(wholeTokens(quote, pair.quoteDecimals), VOLUME_DIGITS)
        },
        high: ifKnown(high, price) ?? ticker.last_price,
        low: ifKnown(low, price) ?? ticker.last_price,
        change: before === null || last === null ? null : changeText(before, last)
      }
    })
  })
}
