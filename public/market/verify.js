import { compare, divide, multiply, shift } from './decimal.js'
import { fact } from './definition.js'
import { element } from './dom.js'
import { explorerLink } from './explorer.js'
import { address } from './figures.js'
import { formatCount, formatExact, formatMoment, formatNumber, symbolOf } from './format.js'
import { remark } from './notice.js'
import { quoteOf } from './tokens.js'

/** What the figures are made of, and where anybody can read it: raw reserves, accounts, fee rates, sequence numbers. */

const HELD = {
  base_reserves: 'Base reserves',
  quote_reserves: 'Quote reserves',
  base_fees: 'Fees held, base',
  quote_fees: 'Fees held, quote'
}
const ACCOUNTS = {
  dao: 'Reserves (the DAO)',
  base_vault: 'Base vault',
  quote_vault: 'Quote vault',
  base_mint: 'Base mint',
  quote_mint: 'Quote mint'
}

/** The price that the reserves give, to as many places as the one that is shown. */
function priceOf (
  { base, quote, last_price: shown, provenance: { base_reserves: baseReserves, quote_reserves: quoteReserves } }
) {
  const places = shown.split('.')[1]?.length ?? 0
  return divide(shift(quoteReserves, -quote.decimals), shift(baseReserves, -base.decimals), places)
}

function priceCheck (pool) {
  const price = priceOf(pool)
  const agrees = price !== null && compare(price, pool.last_price) === 0
  return element('p', { class: `check ${agrees ? 'good' : 'bad'}` }, agrees
    ? `✓ Computed again by this page: the reserves give ${formatExact(price)} ${quoteOf(pool)}, the price shown.`
    : `✗ Computed again by this page, the reserves give ${price === null ? 'no price' : formatExact(price)}, ` +
      'which is not the price shown.')
}

const feeRates = ({ fee_rates: rates }) => rates.length === 0
  ? 'no swap shows one yet'
  : rates.map(
    ({ rate, from_slot: from, to_slot: to }) => `${multiply(rate, '100')} % (slots ${from}–${to})`
  ).join('; ')

export function drawVerification (pool) {
  const { provenance } = pool
  const missing = provenance.missing_events === '0' ? 'none' : formatExact(provenance.missing_events)
  return [
    priceCheck(pool),
    element('dl', { class: 'facts' },
      fact('Read at slot', 'provenance.slot', formatNumber(provenance.slot)),
      ...Object.entries(HELD).map(([field, label]) => {
        const token = pool[field.split('_')[0]]
        return fact(label, `provenance.${field}`, formatExact(shift(provenance[field], -token.decimals)), {
          units: symbolOf(token), exact: `${provenance[field]} raw units`
        })
      }),
      fact('Protocol fee seen', 'provenance.fee_rates', feeRates(provenance)),
      fact('Events on the chain', 'provenance.sequence_on_chain', formatExact(provenance.sequence_on_chain)),
      fact('Events stored', 'provenance.sequence_indexed',
        `up to ${formatExact(provenance.sequence_indexed)}, ${missing} missing`),
      ...Number.isInteger(provenance.windows_end)
        ? [fact('24 hours up to', 'provenance.windows_end', formatMoment(provenance.windows_end * 1000))]
        : [],
      ...Object.entries(ACCOUNTS).filter(([name]) => typeof provenance.accounts[name] === 'string')
        .map(([name, label]) => address(
          label, name.endsWith('mint') ? 'token' : 'account', label.toLowerCase(), provenance.accounts[name]
        )),
      ...provenance.usd_priced_by === null
        ? []
        : [address(`USD value of ${quoteOf(pool)} by`, 'account', 'pricing pool', provenance.usd_priced_by)]),
    pool.other_pools.length === 0
      ? ''
      : remark(`${formatCount(pool.other_pools.length, 'other pool')} of the same pair: the tickers’ pair is the ` +
        'deepest of them.'),
    element('p', { class: 'fine' }, 'Every transaction is in the list of trades: ',
      explorerLink('account', pool.pool_id, 'pool', 'see the pool in an explorer'))
  ]
}
