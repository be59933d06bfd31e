import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { build, historyComplete, settings, startChain } from '../../helper.js'
import { ROOT } from '../../support/script-process.js'

/** The README's clients without a generator, as a stranger runs them. The generated one is in client.test.ts. */

const run = promisify(execFile)
const missing = ['python3', 'curl'].find(command => spawnSync(command, ['--version']).error !== undefined)

test('the Python client and curl read the tickers; an unchanged answer costs a 304', {
  skip: missing !== undefined && !process.env.CI && `${missing} is not installed`
}, async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint({ symbol: 'AAA' }), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const statuses: number[] = []
  app.server.on('request', (_request, response) => { response.on('finish', () => statuses.push(response.statusCode)) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const script = readFileSync(join(ROOT, 'examples/client.py'), 'utf8')
  t.ok(script.trimEnd().split('\n').length <= 30, 'of 30 lines')
  const { stdout } = await run('python3', [join(ROOT, 'examples/client.py'), url])
  t.match(stdout, new RegExp(`^${dao.base.address}_${dao.quote.address} 0\\.1\\d* spread `))

  const [, command = ''] = /^curl (--etag-compare .*) http:\/\/localhost:3000(\/api\/tickers)$/m.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8')
  ) ?? []
  const cwd = t.testdir({ 'tickers.etag': '' })
  for (let turn = 0; turn < 2; turn++) {
    await run('curl', ['--silent', ...command.split(' '), `${url}/api/tickers`], { cwd })
  }
  t.equal((JSON.parse(readFileSync(join(cwd, 'tickers.json'), 'utf8')) as unknown[]).length, 1)
  t.same(statuses, [200, 200, 304])
})
