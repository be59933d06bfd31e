import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { test } from 'tap'
import ts from 'typescript'
import { build, historyComplete, settings, startChain } from '../../helper.js'

/** What somebody writes who has the generated types: each of the three kinds of answer, and an error. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './contract.js'

export async function market (baseUrl: string) {
  const client = createClient<paths>({ baseUrl })
  const { data: tickers } = await client.GET('/api/tickers')
  const [deepest]: Array<components['schemas']['Ticker']> = tickers ?? []
  if (deepest === undefined) throw new Error('no ticker')
  const mintAddress: string = deepest.base_currency
  const supply = await client.GET('/api/supply/{mintAddress}', { params: { path: { mintAddress } } })
  const decimals: number | undefined = supply.data?.data.decimals
  const total = await client.GET(
    '/api/supply/{mintAddress}/total', { params: { path: { mintAddress } }, parseAs: 'text' }
  )
  const text: string | undefined = total.data
  const refused = await client.GET('/api/tickers/{ticker_id}', { params: { path: { ticker_id: 'x' } } })
  const message: string | undefined = refused.error?.error
  const { data: pools } = await client.GET('/api/pools')
  const [first]: Array<components['schemas']['Pool']> = pools ?? []
  if (first === undefined) throw new Error('no pool')
  const path = { pool_id: first.pool_id }
  const one = await client.GET('/api/pools/{pool_id}', { params: { path } })
  const trades = await client.GET('/api/pools/{pool_id}/trades', { params: { path, query: { limit: '2' } } })
  const before = trades.data?.at(-1)?.trade_id ?? ''
  const older = await client.GET('/api/pools/{pool_id}/trades', { params: { path, query: { before } } })
  const candles = await client.GET('/api/pools/{pool_id}/ohlcv', { params: { path, query: { interval: '1d' } } })
  const days = await client.GET('/api/pools/{pool_id}/days', { params: { path } })
  const [day] = days.data ?? []
  const market = await client.GET('/api/days/{date}', { params: { path: { date: day?.date ?? '' } } })
  const fees = await client.GET('/api/fees/aggregate')
  return {
    price: deepest.last_price, decimals, text, status: refused.response.status, message,
    trades: first.trades_24h,
    reserves: one.data?.provenance.quote_reserves,
    seqs: [trades, older].flatMap(({ data }) => data ?? []).map(({ trade_id }) => trade_id),
    volumes: [candles.data?.[0]?.target_volume, day?.target_volume, market.data?.pools[0]?.target_volume],
    fees: fees.data?.tokens.length
  }
}
`
const WRONG = CLIENT.replace('deepest.last_price', 'deepest.lastPrice')

/**
 * Compiles clients beside their types as a stranger's project would; the complaints of the compiler about each, and
 * about what is of no file of theirs.
 */
function compile (folder: string, names: readonly string[]): { own: string[][], other: string[] } {
  const files = names.map(name => join(folder, name))
  const program = ts.createProgram(files, {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    // the compiler's own library is not what is tested
    skipDefaultLibCheck: true
  })
  program.emit()
  const complaints = ts.getPreEmitDiagnostics(program).map(
    ({ file, messageText }) => ({ of: file?.fileName ?? '', text: ts.flattenDiagnosticMessageText(messageText, '\n') })
  )
  const textsOf = (name: string): string[] => complaints.filter(({ of }) => of === name).map(({ text }) => text)
  return { own: files.map(textsOf), other: complaints.filter(({ of }) => !files.includes(of)).map(({ text }) => text) }
}

test('a client generated from openapi.json compiles and calls the service', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao({
    base: ledger.mint({ decimals: 9, supply: 21_000_000_000_000_000n }),
    quote: ledger.usdc(),
    baseReserves: 10n ** 15n,
    quoteReserves: 10n ** 12n
  })
  const [dao] = ledger.daos
  for (let seq = 0; seq < 5; seq++) dao!.swap('buy', 1_000_000n)
  const env = settings(t, node, ledger)

  const types = astToString(await openapiTypescript(new URL('../../../openapi.json', import.meta.url)))
  const folder = t.testdir(
    { 'package.json': '{"type":"module"}', 'contract.ts': types, 'client.ts': CLIENT, 'wrong.ts': WRONG }
  )
  const { own: [found, wrong], other } = compile(folder, ['client.ts', 'wrong.ts'])
  t.match(wrong, [/Property 'lastPrice' does not exist/], 'a field that does not exist does not compile')
  t.same([found, other], [[], []])

  const app = await build(
    t, { env: { ...env, DATA_DIR: join(folder, 'data') }, now: () => ledger.time * 1000, pollMs: 20 }
  )
  await historyComplete(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { market } = await import(
    pathToFileURL(join(folder, 'client.js')).href
  ) as { market: (url: string) => Promise<unknown> }
  const { quote, base } = dao!.reserves
  // of 6 and of 9 decimals, to 12 places
  const price = ((2n * quote * 10n ** 15n + base) / (2n * base)).toString().padStart(13, '0')
  t.same(await market(url), {
    price: `${price.slice(0, -12)}.${price.slice(-12)}`,
    decimals: 9,
    text: '21000000',
    status: 400,
    message: 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT',
    trades: 5,
    reserves: quote.toString(),
    seqs: ledger.swaps.map(({ seq }) => String(seq)).reverse(),
    volumes: ['5', '5', '5'],
    fees: 1
  })
})
