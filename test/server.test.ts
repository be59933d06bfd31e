import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, get as httpGet, Agent } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { test, type Test } from 'tap'
import { ROUTER, startChain, until } from './helper.js'
import { freePort } from './support/free-port.js'
import { createLink } from './support/link.js'
import { startServer } from './system/reliability/process.js'
import { steadyNow } from './support/steady-time.js'

async function setUp (t: Test) {
  const { ledger, node } = await startChain(t)
  const mint = ledger.mint({ symbol: 'AAA' })
  ledger.dao({ base: mint, quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const env = { CHAIN_RPC_URL: node.url, CHAIN_WS_URL: '', FACTORY_ADDRESS: ledger.program, ROUTER_ADDRESS: ROUTER }
  return { ledger, node, env, mint }
}

const messages = (server: ReturnType<typeof startServer>, level: number): string[] =>
  server.lines().filter(line => line.level >= level).map(({ msg }) => msg)

/** On a busy machine the start may take so much of it that requests are refused for a second. */
const hasRoom = async (url: string): Promise<void> => await until(
  'the service is not overloaded', async () => (await fetch(url)).status === 200
)

/** What was asked before this is in work: requests are read in the order in which they come. */
async function inWork (url: string): Promise<void> {
  for (let after = 0; after < 2; after++) await fetch(`${url}/health`)
}

test(
  'a signal ends the service with status 0: requests in work are answered, idle and slow connections are closed',
  async t => {
    const { node, env, mint } = await setUp(t)
    const way = await createLink({ host: '127.0.0.1', port: Number(new URL(node.url).port) })
    t.teardown(() => way.close())
    const server = startServer(t, { ...env, CHAIN_RPC_URL: `http://127.0.0.1:${way.port}` })
    const url = await server.url()
    const { port, hostname } = new URL(url)
    await hasRoom(url)

    const agent = new Agent({ keepAlive: true })
    t.teardown(() => agent.destroy())
    const idle = connect(Number(port), hostname)
    const slow = connect(Number(port), hostname)
    slow.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow')
    for (const socket of [idle, slow]) socket.on('error', () => {})
    await new Promise(
      resolve => httpGet(`${url}/health`, { agent }, response => { response.resume().on('end', resolve) })
    )

    // the node answers once the service knows that it is to end, however late
    const goOn = way.begin('silent')
    const waiting = fetch(`${url}/api/supply/${mint.address}/total`)
    await inWork(url)
    const at = steadyNow()
    server.child.kill('SIGTERM')
    await until('it is told', () => messages(server, 30).some(message => message.startsWith('SIGTERM received')))
    goOn()
    const answer = await waiting
    t.same([answer.status, answer.headers.get('connection')], [200, 'close'])
    t.match(await answer.text(), /^\d+$/)
    const { code, ms } = await server.exit(at)
    t.equal(code, 0)
    t.ok(ms < 5_000, `${ms} ms`)
    t.ok(messages(server, 30).includes('the service has ended'))
  }
)

test(
  'a node that hangs does not hold up the end: what waits for it gets 503, and the end comes within 10 s',
  async t => {
    const { node, env, mint } = await setUp(t)
    const server = startServer(t, env)
    const url = await server.url()
    await until('the chain has been read', () => (node.calls.getSignaturesForAddress ?? 0) > 0)
    node.fault({ kind: 'hang' })
    const waiting = fetch(`${url}/api/supply/${mint.address}`)
    await inWork(url)
    const at = steadyNow()
    server.child.kill('SIGINT')
    const answer = await waiting
    t.same(
      [answer.status, await answer.json()],
      [503, { error: 'Service temporarily unavailable. Please try again in a few moments.' }]
    )
    const { code, ms } = await server.exit(at)
    t.equal(code, 0)
    t.ok(ms < 10_000, `${ms} ms`)
  }
)

test('a second signal ends it at once', async t => {
  const { node, env, mint } = await setUp(t)
  const server = startServer(t, env)
  const url = await server.url()
  node.fault({ kind: 'hang' })
  fetch(`${url}/api/supply/${mint.address}`).catch(() => {})
  await inWork(url)
  server.child.kill('SIGTERM')
  await until(
    'it is told of the first', () => messages(server, 30).some(message => message.startsWith('SIGTERM received'))
  )
  // two that follow one another at once are one, as npm sends them
  await setTimeout(300)
  const at = steadyNow()
  server.child.kill('SIGTERM')
  const { code, ms } = await server.exit(at)
  t.equal(code, 1)
  t.ok(ms < 3_000, `${ms} ms: what waits for the node is given four seconds`)
})

test('an error that nothing catches, and a rejection, are logged and end the process with status 1', async t => {
  const { env } = await setUp(t)
  const folder = t.testdir()
  for (const [name, code] of Object.entries(
    { thrown: "throw new Error('made by the test')", rejected: "Promise.reject(new Error('made by the test'))" }
  )) {
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, `process.on('SIGWINCH', () => { ${code} })`)
    const server = startServer(t, { ...env, NODE_OPTIONS: `--import ${pathToFileURL(file).href}` })
    await server.url()
    server.child.kill('SIGWINCH')
    t.equal((await server.exit()).code, 1)
    t.ok(messages(server, 60).includes('an error that nothing caught'), name)
    t.match(server.output(), /made by the test/)
  }
})

test('spec 8: wrong settings are named one to a line, at every log level, before it listens', async t => {
  for (const level of ['info', 'silent', 'nonsense']) {
    const server = startServer(t, { LOG_LEVEL: level, PORT: 'x', CHAIN_RPC_URL: 'ftp://secret-key@host' })
    t.equal((await server.exit()).code, 1)
    const said = messages(server, 50)
    const expected = [
      'FACTORY_ADDRESS not configured', 'ROUTER_ADDRESS not configured', 'PORT must be a whole number from 0 to 65535',
      'CHAIN_RPC_URL must be http or https URLs separated by commas, a % in user or password written as %25'
    ]
    if (level === 'nonsense') expected.push('LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent')
    t.same(said.sort(), expected.sort())
    t.notMatch(server.output(), /listening|secret-key|\bat .*\.ts/)
  }
})

test('it does not wait for a node: it listens, answers 502 or 503, and says that the node is away', async t => {
  const { node, env, mint } = await setUp(t)
  await node.stop()
  const server = startServer(t, { ...env, RATE_LIMIT_MAX: '100000' })
  const url = await server.url()
  for (const path of ['/api/tickers', `/api/supply/${mint.address}`, '/api/volume/aggregate']) {
    const { status } = await fetch(url + path)
    t.ok([502, 503].includes(status), `${path}: ${status}`)
  }
  t.equal((await fetch(`${url}/health`)).status, 200)
  await until(
    'the log says so', () => messages(server, 40).some(message => message.includes('was not reached (ECONNREFUSED)'))
  )
  await node.restart()
  await until(
    'the service comes by itself when the node does', async () => (await fetch(`${url}/api/tickers`)).status === 200
  )
})

test('what keeps it from starting is told in one line', async t => {
  const { env } = await setUp(t)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const { port } = taken.address() as AddressInfo
  const inUse = startServer(t, { ...env, PORT: String(port) })
  t.equal((await inUse.exit()).code, 1)
  t.same(
    messages(inUse, 50), [`port ${port} at 127.0.0.1 is taken by another process: stop it first, or set another PORT`]
  )
  const metrics = startServer(t, { ...env, METRICS_PORT: String(port) })
  t.equal((await metrics.exit()).code, 1)
  t.same(
    messages(metrics, 50),
    [`port ${port} at 127.0.0.1 is taken by another process: stop it first, or set another METRICS_PORT`]
  )

  // the address of a link without the link's name
  for (const name of ['HOST', 'METRICS_HOST']) {
    const METRICS_PORT = String(await freePort())
    const nowhere = startServer(t, { ...env, METRICS_PORT, HOST: '127.0.0.1', [name]: 'fe80::1' })
    t.equal((await nowhere.exit()).code, 1)
    t.match(messages(nowhere, 50), [new RegExp(`^${name} is no address of this machine: fe80::1 `)])
  }

  const folder = t.testdir()
  const first = startServer(t, { ...env, DATA_DIR: folder })
  await first.url()
  const second = startServer(t, { ...env, DATA_DIR: folder })
  t.equal((await second.exit()).code, 1)
  t.same(
    messages(second, 50), [`another process is using the history in ${folder}: stop it first, or set another DATA_DIR`]
  )

  writeFileSync(join(folder, 'file'), '')
  const noFolder = startServer(t, { ...env, DATA_DIR: join(folder, 'file', 'data') })
  t.equal((await noFolder.exit()).code, 1)
  t.match(messages(noFolder, 50), [/^the folder of the history can't be made/])

  // an existing folder that takes no other: Node's own way of making parents tries for ever
  if (existsSync('/proc/self')) {
    const inProc = startServer(t, { ...env, DATA_DIR: '/proc/nope/data' })
    t.equal((await inProc.exit()).code, 1)
    t.match(messages(inProc, 50), [/^the folder of the history can't be made, written or locked: \/proc\/nope\/data/])
  }

  const readOnly = join(folder, 'read-only')
  mkdirSync(readOnly)
  chmodSync(readOnly, 0o500)
  if (process.getuid?.() === 0) return t.comment('root may write everywhere: a read-only folder is not tested')
  const unwritable = startServer(t, { ...env, DATA_DIR: readOnly })
  t.equal((await unwritable.exit()).code, 1)
  t.match(messages(unwritable, 50), [/^the folder of the history can't be made, written or locked: .*read-only/])
})

test('settings may stand in a file; those of the environment win', async t => {
  const { env } = await setUp(t)
  const folder = t.testdir({ '.env': 'DEX_FORK_TYPE=FromFile\nROUTER_ADDRESS=nonsense\n' })
  const server = startServer(t, env, folder)
  const answer = await fetch(await server.url())
  t.match(await answer.json(), { dex: { fork_type: 'FromFile', router_address: ROUTER } })
})

test('NODE_WITHIN ends a start that no node answers; without it the start goes on trying, and says so', async t => {
  const { env, node } = await setUp(t)
  await node.stop()
  const impatient = startServer(t, { ...env, NODE_WITHIN: '1' })
  t.equal((await impatient.exit()).code, 1)
  t.match(impatient.output(), /no node has answered within NODE_WITHIN=1 s/)
  const patient = startServer(t, env)
  await patient.url()
  const says = (what: RegExp) => until(`it says ${what}`, () => what.test(patient.output()))
  await says(/no node answers yet: the service listens, and goes on trying/)
  await node.restart()
  await says(/"msg":"a node answers"/)
})

test(
  'FACTORY_ADDRESS must be a program as soon as a node answers, ROUTER_ADDRESS should; ' +
    'a name that resembles a setting is told',
  async t => {
    const { env, node, mint } = await setUp(t)
    const wrong = startServer(t, { ...env, FACTORY_ADDRESS: mint.address })
    t.equal((await wrong.exit()).code, 1)
    t.equal(messages(wrong, 50).at(-1), `FACTORY_ADDRESS=${mint.address}: the account is no program`)
    await node.stop()
    const nowhere = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
    const later = startServer(t, { ...env, FACTORY_ADDRESS: nowhere })
    await until('it listens', () => /no node answers yet/.test(later.output()))
    await node.restart()
    t.equal((await later.exit()).code, 1)
    t.equal(messages(later, 50).at(-1), `FACTORY_ADDRESS=${nowhere}: there is no such account on this network`)
    const doubtful = startServer(t, { ...env, ROUTER_ADDRESS: nowhere, RATE_LIMT_MAX: '600', RATE_UNIT: 'x' })
    await until('it doubts', () => /ROUTER_ADDRESS=.*: there is no such account/.test(doubtful.output()))
    t.ok(messages(doubtful, 40).includes('RATE_LIMT_MAX is no setting: is RATE_LIMIT_MAX meant?'))
    t.notMatch(doubtful.output(), /RATE_UNIT/)
  }
)
