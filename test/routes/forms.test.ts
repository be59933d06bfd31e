import { test, type Test } from 'tap'
import type { CmcAssets, CmcOrderBook, CmcTickers } from '../../schemas/cmc.js'
import type { CoinGeckoOrderBook, CoinGeckoPairs } from '../../schemas/coingecko.js'
import type { Ticker } from '../../schemas/ticker.js'
import { asking, build, historyComplete, settings, startChain } from '../helper.js'

const NO_TICKER_ID = 'Invalid ticker_id: base mint, underscore, quote mint, as ' +
  'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta_EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const OTHER = 'So11111111111111111111111111111111111111112'

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const reserves = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }
  const dao = ledger.dao({ base: ledger.mint({ symbol: 'AAA', name: 'Token A' }), quote: usdc, ...reserves })
  const twin = ledger.dao({ base: dao.base, quote: usdc, baseReserves: 1_000_000n, quoteReserves: 7n })
  const bare = ledger.dao({
    base: ledger.mint({ decimals: 9, metadata: 'none' }),
    quote: usdc,
    baseReserves: 10n ** 18n,
    quoteReserves: 10n ** 15n
  })
  const excluded = ledger.dao({ base: ledger.mint(), quote: usdc, ...reserves })
  ledger.advance(60)
  const start = async () => {
    const app = await build(t, {
      env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', EXCLUDED_DAOS: excluded.address, ...env }),
      now: () => ledger.time * 1000,
      pollMs: 20,
      bounds: { delay: 60_000 }
    })
    await historyComplete(app)
    const { get, refused } = asking(t, app)
    return { app, get, refused }
  }
  return { ledger, node, dao, twin, bare, excluded, usdc, start, id: `${dao.base.address}_${usdc.address}` }
}

test('every form lists what the tickers list', async t => {
  const { dao, twin, bare, usdc, start, id } = await setUp(t)
  const { app, get } = await start()
  const tickers = await get<Ticker[]>('/api/tickers')
  const pairs = await get<CoinGeckoPairs>('/coingecko/pairs')
  t.same(pairs, tickers.map(ticker => ({
    ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id
  })))
  t.same(pairs.map(({ pool_id: pool }) => pool), [bare, dao, twin].map(({ address }) => address))

  const cmc = await get<CmcTickers>('/cmc/v1/ticker')
  t.same(Object.keys(cmc).sort(), [...new Set(tickers.map(({ ticker_id: one }) => one))].sort(), 'one of each pair')
  t.match(
    cmc[id],
    { base_symbol: 'AAA', base_name: 'Token A', quote_symbol: 'USDC', last_price: 0.1, base_volume: 0, isFrozen: 0 },
    'of several pools the deepest'
  )
  t.ok(
    (await app.inject('/cmc/v1/ticker')).payload.includes('"last_price":0.100000000000,'),
    'a number with every digit that the ticker has'
  )

  const assets = await get<CmcAssets>('/cmc/v1/assets')
  t.match(
    assets[usdc.address],
    { name: 'USD Coin', symbol: 'USDC', maker_fee: 0.005, taker_fee: 0.005, min_withdraw: 0.000001 }
  )
  const address = bare.base.address
  t.match(assets[address], { name: address, symbol: address.slice(0, 8), min_withdraw: 1e-9 }, 'no name is ever empty')
  t.ok(
    (await app.inject('/cmc/v1/assets')).payload.includes('"min_withdraw":0.000000001,'),
    'and no number has an exponent'
  )
})

test('the order book of the deepest pool: bids and asks around the price, and they move with it', async t => {
  const { ledger, dao, start, id } = await setUp(t)
  const { app, get, refused } = await start()
  const book = await get<CoinGeckoOrderBook>(`/coingecko/orderbook?ticker_id=${id}`)
  t.same([book.ticker_id, book.bids.length, book.asks.length], [id, 50, 50])
  t.ok(Number(book.bids[0]![0]) < 0.1 && Number(book.asks[0]![0]) > 0.1)
  t.equal(book.timestamp, Math.floor(ledger.time * 1000), 'milliseconds')
  const sides = async (query: string) => {
    const { bids, asks } = await get<CoinGeckoOrderBook>(`/coingecko/orderbook?ticker_id=${id}${query}`)
    return [bids.length, asks.length]
  }
  t.same(
    [await sides('&depth=0'), await sides('&depth=500'), await sides('&depth=2'), await sides('&depth=5')],
    [[250, 250], [250, 250], [1, 1], [3, 2]]
  )

  const numbers = await get<CmcOrderBook>(`/cmc/v1/orderbook/${id}`)
  t.same([numbers.bids.length, numbers.asks.length], [250, 250], 'all of it')
  t.same(numbers.asks[0], book.asks[0]!.map(Number))
  t.equal((await get<CmcOrderBook>(`/cmc/v1/orderbook/${id}?level=1`)).bids.length, 1)
  t.notMatch((await app.inject(`/cmc/v1/orderbook/${id}`)).payload, /[:,[][\d.]+[eE]/)

  dao.swap('buy', 20_000_000_000n)
  ledger.advance(30)
  const after = await get<CoinGeckoOrderBook>(`/coingecko/orderbook?ticker_id=${id}`)
  t.ok(Number(after.bids[0]![0]) > Number(book.asks[0]![0]), 'after a large buy the bids are where the asks were')

  await refused('/coingecko/orderbook', 400, NO_TICKER_ID)
  await refused('/coingecko/orderbook?ticker_id=x', 400, 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT')
  await refused(`/coingecko/orderbook?ticker_id=${OTHER}_${OTHER}`, 404, `Ticker not found: ${OTHER}_${OTHER}`)
  await refused(
    `/coingecko/orderbook?ticker_id=${id}&depth=501`,
    400,
    'Invalid depth: a whole number from 0 to 500 (levels of both sides), as 100'
  )
  await refused(
    `/coingecko/orderbook?ticker_id=${id}&ticker_id=${id}`, 400, NO_TICKER_ID
  )
  await refused(`/coingecko/orderbook?ticker_id=${id}&deepth=5`, 400, 'Invalid deepth: only ticker_id, depth here')
  await refused('/coingecko/pairs?page=2', 400, 'Invalid page: no parameters here')
  await refused(
    `/cmc/v1/orderbook/${id}?level=4`, 400, 'Invalid level: a whole number from 1 to 3 (level of detail), as 2'
  )
  await refused('/cmc/v1/orderbook/x', 400, 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT')
})

test('the same bytes for a while, by their tag', async t => {
  const { start, id } = await setUp(t)
  const { app } = await start()
  for (const url of [
    '/coingecko/pairs', `/coingecko/orderbook?ticker_id=${id}`, '/cmc/v1/assets', '/cmc/v1/ticker',
    `/cmc/v1/orderbook/${id}`
  ]) {
    const first = await app.inject({ url, headers: { 'accept-encoding': 'br' } })
    t.match(first.headers, { etag: /^"/, 'cache-control': /^public, max-age=/ }, url)
    t.equal((await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })).statusCode, 304, url)
  }
})

test('supplies as numbers for Jupiter, and as JSON for those who ask', async t => {
  const { ledger, start } = await setUp(t)
  const mint = ledger.mint({ decimals: 9, supply: 18_446_744_073_709_551_615n }).address
  const tiny = ledger.mint({ decimals: 12, supply: 1n }).address
  const { app, refused } = await start()
  for (const kind of ['total', 'circulating']) {
    const url = `/jupiter/supply/${mint}/${kind}`
    const { headers } = await app.inject(url)
    t.match(headers, { etag: /^"[^"]+"$/, 'cache-control': /^public, max-age=\d+$/, vary: 'accept-encoding' }, url)
    const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
    t.same([again.statusCode, again.payload, again.headers.etag], [304, '', headers.etag], url)
  }
  const body = async (url: string, accept?: string) => {
    const { payload, headers } = await app.inject({ url, headers: accept === undefined ? {} : { accept } })
    return [payload, String(headers['content-type']).split(';')[0], headers.vary]
  }
  t.equal((await body(`/jupiter/supply/${mint}/total`))[0], '{"totalSupply":18446744073.709551615}')
  t.equal((await body(`/jupiter/supply/${mint}/circulating`))[0], '{"circulatingSupply":18446744073.709551615}')
  t.equal((await body(`/jupiter/supply/${tiny}/total`))[0], '{"totalSupply":0.000000000001}')
  for (const kind of ['total', 'circulating']) {
    const url = `/api/supply/${mint}/${kind}`
    t.same(
      await body(url, 'application/json'),
      ['{"result":"18446744073.709551615"}', 'application/json', 'accept, accept-encoding']
    )
    for (const accept of [undefined, '*/*', 'text/plain', 'text/html, */*;q=0.8']) {
      t.same(
        await body(url, accept), ['18446744073.709551615', 'text/plain', 'accept, accept-encoding'], String(accept)
      )
    }
    await refused(`/jupiter/supply/x/${kind}`, 400, 'Invalid mint address')
    await refused(`/jupiter/supply/${OTHER}/${kind}`, 404, 'Token mint not found')
    await refused(`/jupiter/supply/${mint}/${kind}?date=1`, 400, 'Invalid date: no parameters here')
  }
})
