/** A row of tickers in itself, in the specified form and in CoinGecko's. */
import { ADDRESS, amount, below, type Refuse, type Row, text } from './rules.js'

export function checkTickerForm (ticker: Row, where: string, refuse: Refuse): void {
  const [base, target] = ['base_currency', 'target_currency'].map(key => text(ticker, key, where, refuse, ADDRESS))
  if (ticker.ticker_id !== `${base}_${target}`) refuse(`${where}: ticker_id is not base_target`)
  const [bid, last, ask] = ['bid', 'last_price', 'ask'].map(
    key => amount(ticker, key, where, refuse, { form: 'text', isPositive: true })
  )
  if (!below(bid, last) || !below(last, ask)) refuse(`${where}: bid, last_price and ask do not rise`)
  for (const key of ['base_volume', 'target_volume', 'liquidity_in_usd']) {
    amount(ticker, key, where, refuse, { form: 'text' })
  }
}
