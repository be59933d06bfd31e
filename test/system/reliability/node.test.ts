import { test, type Test } from 'tap'
import type { AppOptions } from '../../../app.js'
import { PROGRAMS, tokenAccountAddress } from '../../../lib/protocol/addresses.js'
import { build, historyComplete, settings, startChain, until } from '../../helper.js'
import { goingOn } from './clock.js'
import { createWorld } from './truth.js'

async function setUp (t: Test, options: Partial<Omit<AppOptions, 'env'>> = {}) {
  const { ledger, node } = await startChain(t)
  const world = createWorld(ledger)
  const clock = goingOn(ledger)
  const app = await build(
    t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000000' }), now: clock.now, pollMs: 20, ...options }
  )
  return { ledger, node, world, clock, app }
}

test('500 requests that find nothing in the cache make one refresh, of the list and of a supply', async t => {
  const { node, world, app } = await setUp(t)
  node.latencyMs = 100
  const paths = ['/api/daos', `/api/supply/${world.plain.address}`]
  const answers = await Promise.all(Array.from({ length: 1_000 }, (_, i) => app.inject(paths[i % 2]!)))
  t.ok(answers.every(({ statusCode }) => statusCode === 200))
  t.equal(node.calls.getProgramAccounts, 1)
  t.equal(node.calls.getMultipleAccounts, 3, 'the tokens of the list, whether there is a mint, and its supply')
})

test(
  'a node that fails on and on is asked no more than now and then, and again soon after it has recovered',
  async t => {
    const { node, world, app } = await setUp(t, { transport: { callMs: 2_000, answerMs: 3_000, retries: 0 } })
    await historyComplete(app)
    node.fault({ kind: 'status' })
    const path = `/api/supply/${world.plain.address}`
    const statuses = new Set<number>()
    for (let i = 0; i < 50; i++) statuses.add((await app.inject(path)).statusCode)
    t.same([...statuses], [502], 'whether this request was tried or not')
    node.reset()
    for (let i = 0; i < 200; i++) await app.inject(path)
    t.ok(node.requests <= 3, `${node.requests} calls for 200 requests`)
    node.faults.clear()
    await until('it is asked again', async () => (await app.inject(path)).statusCode === 200, 6_000)
  }
)

test('a vault of another mint, or of another owner, is an error and not a figure', async t => {
  const { ledger, world, app, clock } = await setUp(t, { transport: { callMs: 3_000, answerMs: 5_000, retries: 0 } })
  const { launch, plain } = world
  const vault = tokenAccountAddress(launch.dao!.address, launch.mint.address, PROGRAMS.token)
  const { owner, data } = ledger.account(vault)!
  for (const offset of [0, 32]) {
    const forged = Buffer.from(data)
    ledger.account(plain.address)!.data.copy(forged, offset, 0, 32)
    ledger.setAccount(vault, { owner, data: forged })
    clock.pass(100)
    const answer = await app.inject(`/api/supply/${launch.mint.address}`)
    t.same([answer.statusCode, answer.payload], [500, '{"error":"Failed to fetch DAO data from blockchain"}'])
  }
  ledger.setAccount(vault, undefined)
  clock.pass(100)
  t.equal((await app.inject(`/api/supply/${launch.mint.address}`)).statusCode, 200)
})

test('accounts in the wrong order are never summed up as the supply of a mint', async t => {
  const { node, world, app } = await setUp(t, { transport: { callMs: 3_000, answerMs: 5_000, retries: 0 } })
  node.fault({ kind: 'swapped-accounts', method: 'getMultipleAccounts' })
  for (const { address } of [world.launch.mint, world.plain]) {
    // a mint of which the node says that it is not there is believed not to be there
    const { statusCode } = await app.inject(`/api/supply/${address}`)
    t.ok([404, 500].includes(statusCode), `${statusCode}`)
  }
})

test('a node that keeps the times of blocks to itself, for good, hides nothing', async t => {
  const { ledger, node } = await startChain(t)
  const { daos } = createWorld(ledger)
  node.fault({ method: 'getBlockTime', kind: 'rpc-error', value: -32601 })
  const app = await build(t, { env: settings(t, node, ledger), pollMs: 20 })
  await historyComplete(app)
  await until('the list is served', async () => (await app.inject('/api/tickers')).statusCode === 200)
  t.equal((await app.inject('/api/tickers')).json<unknown[]>().length, daos.length)
  await until('a block is published', async () => (await app.inject('/dexscreener/latest-block')).statusCode === 200)
})
