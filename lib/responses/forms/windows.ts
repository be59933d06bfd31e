import { eachInSlices } from '../../async.js'
import { ServiceError } from '../../errors.js'
import type { Kept } from '../../live/fresh.js'
import { changeText, exactUnits, ifKnown, textsOf } from '../../market/pool-figures.js'
import type { Ticker } from '../../../schemas/ticker.js'
import { headOf, keepOne } from '../sources.js'
import type { FormSources } from './sources.js'

/** A ticker with what its trades of the same 24 hours tell besides. */
interface WindowTicker {
  ticker: Ticker
  /** The highest and the lowest price that a trade executed at; without a trade the last price. */
  high: string
  low: string
  /** In percent; null: there is no trade to compare with. */
  change: string | null
}

/**
 * The tickers of which all of the last 24 hours is known, deepest first, kept. A DAO that is not final yet, or misses
 * an event, is left out. Throws what the tickers throw, HISTORY_UNAVAILABLE where none is left.
 */
export function createWindowTickers (sources: FormSources): Kept<WindowTicker[]> {
  const { tickers, history } = sources

  return keepOne(sources, async parts => {
    const list = await tickers(parts)
    const head = headOf(sources, parts)
    const windows = await history.read(reading => reading.windows(head.time))
    const whole: WindowTicker[] = []
    await eachInSlices(list.tickers, ticker => {
      const pair = list.pairs.get(ticker.pool_id)!
      const window = windows.get(ticker.pool_id)
      if (window?.complete !== true) return
      const { base, quote, high, low, before, last } = window
      const { price } = textsOf(pair)
      whole.push({
        ticker: {
          ...ticker,
          // exactly: rounded they would contradict the prices beside them
          base_volume: exactUnits(base, pair.baseDecimals),
          target_volume: exactUnits(quote, pair.quoteDecimals)
        },
        high: ifKnown(high, price) ?? ticker.last_price,
        low: ifKnown(low, price) ?? ticker.last_price,
        change: before === null || last === null ? null : changeText(before, last)
      })
    })
    // as with the tickers: an empty list would look like a market without pools
    if (whole.length === 0 && list.tickers.length > 0) {
      throw new ServiceError('HISTORY_UNAVAILABLE', 'the last 24 hours of no pool are known')
    }
    return whole
  })
}
