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
  const total = await client.GET('/api/supply/{mintAddress}/total', { params: { path: { mintAddress } }, parseAs: 'text' })
  const text: string | undefined = total.data
  const refused = await client.GET('/api/tickers/{ticker_id}', { params: { path: { ticker_id: 'x' } } })
  const message: string | undefined = refused.error?.error
  return { price: deepest.last_price, decimals, text, status: refused.response.status, message }
}
`
const WRONG = CLIENT.replace('deepest.last_price', 'deepest.lastPrice')

/** Compiles a client beside its types as a stranger's project would; the complaints of the compiler. */
function compile (folder: string): string[] {
  const program = ts.createProgram([join(folder, 'client.ts')], {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: []
  })
  program.emit()
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

test('a client generated from openapi.json compiles and calls the service', async t => {
  const { ledger, node } = await startChain(t)
  ledger.dao({ base: ledger.mint({ decimals: 9, supply: 21_000_000_000_000_000n }), quote: ledger.usdc(), baseReserves: 10n ** 15n, quoteReserves: 10n ** 12n })
  const env = settings(t, node, ledger)

  const types = astToString(await openapiTypescript(new URL('../../../openapi.json', import.meta.url)))
  const folderOf = (client: string): string => t.testdir({ 'package.json': '{"type":"module"}', 'contract.ts': types, 'client.ts': client })
  t.match(compile(folderOf(WRONG)), [/Property 'lastPrice' does not exist/], 'a field that does not exist does not compile')
  const folder = folderOf(CLIENT)
  t.same(compile(folder), [])

  const app = await build(t, { env: { ...env, DATA_DIR: join(folder, 'data') }, now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { market } = await import(pathToFileURL(join(folder, 'client.js')).href) as { market: (url: string) => Promise<unknown> }
  t.same(await market(url), {
    price: '1.000000000000',
    decimals: 9,
    text: '21000000',
    status: 400,
    message: 'Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT'
  })
})
