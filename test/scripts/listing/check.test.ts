import { test } from 'tap'
import { checkForm, type Form, FORMS } from '../../../scripts/listing/check.js'
import type { Answer, Get } from '../../../scripts/listing/rules.js'
import { buildMarket } from '../../../simulator/market.js'
import { build, historyComplete, patient, settings, startChain } from '../../helper.js'

/** Something planted in the answers whose path matches. */
interface Fault { form: Form, what: string, path: RegExp, plant: (value: any) => unknown, told?: RegExp }

const events = (value: any, pick: (event: any) => boolean = () => true): any => value.events.find(pick) ?? {}
const swap = (value: any): any => events(value, event => event.eventType === 'swap')

const FAULTS: Fault[] = [
  { form: 'coingecko', what: 'a pool twice', path: /pairs/, plant: value => { value[1].pool_id = value[0].pool_id } },
  { form: 'coingecko', what: 'symbols for addresses', path: /pairs/, plant: value => { value[0].base = 'META' } },
  { form: 'coingecko', what: 'a ticker without its pair', path: /pairs/, plant: value => { value.pop() } },
  { form: 'coingecko', what: 'a price of zero', path: /tickers/, plant: value => { value[0].last_price = '0' } },
  { form: 'coingecko', what: 'an exponent', path: /tickers/, plant: value => { value[0].bid = '1e-7' } },
  { form: 'coingecko', what: 'a missing field', path: /tickers/, plant: value => { delete value[0].high } },
  { form: 'coingecko', what: 'a bid above the ask', path: /tickers/, plant: value => { [value[0].bid, value[0].ask] = [value[0].ask, value[0].bid] } },
  { form: 'coingecko', what: 'high below low', path: /tickers/, plant: value => { for (const one of value) one.high = '0.000000000000001' } },
  { form: 'coingecko', what: 'an average price beyond the highest', path: /tickers/, plant: value => { for (const one of value) one.target_volume = String(Number(one.target_volume) * 1e6 + 1) }, told: /average/ },
  { form: 'coingecko', what: 'a crossed book', path: /orderbook/, plant: value => { [value.bids, value.asks] = [value.asks.reverse(), value.bids.reverse()] } },
  { form: 'coingecko', what: 'a book out of order', path: /orderbook/, plant: value => { value.asks.reverse() }, told: /order/ },
  { form: 'coingecko', what: 'a book in seconds', path: /orderbook/, plant: value => { value.timestamp = Math.floor(value.timestamp / 1000) }, told: /milliseconds/ },
  { form: 'coingecko', what: 'trades oldest first', path: /historical/, plant: value => { value.buy.reverse(); value.sell.reverse() } },
  { form: 'coingecko', what: 'a trade twice', path: /historical/, plant: value => { if (value.buy[0]) value.buy.unshift(value.buy[0]) }, told: /unique/ },
  { form: 'coingecko', what: 'a price that was not paid', path: /historical/, plant: value => { for (const one of value.buy) one.price = String(Number(one.price) * 2) }, told: /paid/ },
  { form: 'cmc', what: 'prices as text', path: /summary/, plant: value => { value[0].last_price = String(value[0].last_price) }, told: /no number/ },
  { form: 'cmc', what: 'a pair without its asset', path: /assets/, plant: value => { delete value[Object.keys(value)[0]!] } },
  { form: 'cmc', what: 'assets by symbol', path: /assets/, plant: value => { const [[key, asset]] = Object.entries(value) as any; delete value[key]; value.META = asset } },
  { form: 'cmc', what: 'an empty name', path: /assets/, plant: value => { (Object.values(value)[0] as any).name = '' } },
  { form: 'cmc', what: 'an empty book', path: /orderbook/, plant: value => { value.bids = [] } },
  { form: 'cmc', what: 'a frozen flag of another kind', path: /ticker/, plant: value => { (Object.values(value)[0] as any).isFrozen = 'no' } },
  { form: 'jupiter', what: 'a supply as text', path: /jupiter.*total/, plant: value => { value.totalSupply = String(value.totalSupply) } },
  { form: 'jupiter', what: 'more circulates than there is', path: /jupiter.*total/, plant: value => { value.totalSupply /= 1000 } },
  { form: 'dexscreener', what: 'no envelope', path: /latest-block/, plant: value => value.block, told: /block/ },
  { form: 'dexscreener', what: 'a time in milliseconds', path: /latest-block/, plant: value => { value.block.blockTimestamp *= 1000 } },
  { form: 'dexscreener', what: 'events out of order', path: /events/, plant: value => { value.events.reverse() }, told: /order/ },
  { form: 'dexscreener', what: 'an event twice', path: /events/, plant: value => { if (value.events.length > 0) value.events.unshift(value.events[0]) }, told: /place/ },
  { form: 'dexscreener', what: 'a swap with both legs in', path: /events/, plant: value => { Object.assign(swap(value), { asset0In: '1', asset1In: '1' }) }, told: /a swap of/ },
  { form: 'dexscreener', what: 'a price of zero', path: /events/, plant: value => { swap(value).priceNative = '0' }, told: /priceNative is 0/ },
  { form: 'dexscreener', what: 'a price the other way round', path: /events/, plant: value => { swap(value).priceNative = String(1 / Number(swap(value).priceNative)) }, told: /per asset0/ },
  { form: 'dexscreener', what: 'a swap left out', path: /events/, plant: value => { const at = value.events.findIndex((event: any) => event.eventType === 'swap' && event.pairId === value.events.at(-1)?.pairId); if (at > 0) value.events.splice(at, 1) }, told: /do not follow/ },
  { form: 'dexscreener', what: 'reserves from before the event', path: /events/, plant: value => { for (const event of value.events) event.reserves.asset0 = String(Number(event.reserves.asset0) * 1.01) + '1' }, told: /do not follow|plain/ },
  { form: 'dexscreener', what: 'the pool as maker', path: /events/, plant: value => { const event = events(value); event.maker = event.pairId }, told: /maker/ },
  { form: 'dexscreener', what: 'an empty symbol', path: /asset\?/, plant: value => { value.asset.symbol = '' } },
  { form: 'dexscreener', what: 'a fee that may change', path: /pair\?/, plant: value => { value.pair.feeBps = 50 } },
  { form: 'geckoterminal', what: 'no reserves', path: /events/, plant: value => { delete events(value).reserves }, told: /no reserves/ },
  { form: 'geckoterminal', what: 'no decimals', path: /asset\?/, plant: value => { delete value.asset.decimals } }
]

test('the service passes by every form, and each planted fault is refused', { timeout: 120_000 }, async t => {
  const { ledger, node } = await startChain(t)
  const { spam } = buildMarket(ledger, { daos: 8, swaps: 250, days: 0.3, noise: false })
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', PROTOCOL_FEE_RATE: '0.005', EXCLUDED_DAOS: spam.address }),
    now: () => ledger.time * 1000,
    pollMs: 20,
    bounds: { delay: 60_000 }
  })
  await historyComplete(app)
  const published = ledger.slot
  for (let looks = 0; looks < 100; looks++) {
    ledger.advance(31)
    await new Promise(resolve => setTimeout(resolve, 50))
    const latest = await app.inject('/dexscreener/latest-block')
    if (latest.statusCode === 200 && latest.json<{ block: { blockNumber: number } }>().block.blockNumber >= published) break
  }
  // one answer for each path: what is planted stays
  const kept = new Map<string, Promise<Answer>>()
  const get: Get = path => {
    const known = kept.get(path) ?? patient(app, path).then(({ statusCode, headers, payload }) => ({ status: statusCode, type: String(headers['content-type']), text: payload }))
    kept.set(path, known)
    return known
  }
  const now = ledger.time * 1000
  for (const form of FORMS) t.same(await checkForm(form, get, now), [], form)
  t.ok(FAULTS.length >= 30)
  for (const { form, what, path, plant, told = /./ } of FAULTS) {
    const bent: Get = async asked => {
      const answer = await get(asked)
      if (answer.status !== 200 || !path.test(asked) || !answer.type.startsWith('application/json')) return answer
      const value = JSON.parse(answer.text) as unknown
      return { ...answer, text: JSON.stringify(plant(value) ?? value) }
    }
    t.match((await checkForm(form, bent, now)).join('\n'), told, `${form}: ${what}`)
  }
})
