import { test, type Test } from 'tap'
import { formatUnits } from '../../lib/decimal.js'
import { keyBytes } from '../../lib/protocol/pda.js'
import { PROGRAMS, relaunchAddresses } from '../../simulator/index.js'
import { build, historyComplete, settings, startChain } from '../helper.js'

const UNKNOWN = 'So11111111111111111111111111111111111111112'

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, env), now: () => ledger.utc * 1000 })
  const get = async (path: string) => {
    const answer = await app.inject(path)
    return {
      status: answer.statusCode, body: answer.payload, headers: answer.headers, json: () => answer.json() as unknown
    }
  }
  /** The supply record, read anew. */
  const supply = async (mint: string) => {
    ledger.advance(80)
    const answer = await app.inject(`/api/supply/${mint}`)
    t.equal(answer.statusCode, 200)
    return answer.json<{ result: string, data: Record<string, string> }>().data
  }
  return { ledger, node, app, get, supply }
}

test('an account that is no mint is not read whole: it may be of 10 MB', async t => {
  const { ledger, get, node } = await setUp(t)
  const large = ledger.newAddress()
  ledger.setAccount(large, { owner: PROGRAMS.aggregator, data: Buffer.alloc(1_000_000) })
  const before = node.log.length
  t.equal((await get(`/api/supply/${large}`)).status, 404)
  const asked = node.log.slice(before).flatMap(({ method, params }) =>
    method === 'getMultipleAccounts' && JSON.stringify(params).includes(large) ? [(params as unknown[])[1]] : [])
  t.ok(asked.length > 0)
  for (const options of asked) t.match(options, { dataSlice: { offset: 0, length: 166 } })
  const newer = ledger.mint({ program: 'token-2022', supply: 7n, decimals: 0 })
  t.equal((await get(`/api/supply/${newer.address}/total`)).body, '7', 'a mint is told by its beginning')
})

test('spec 2.2: GET /api/supply/:mintAddress of any mint: all of it circulates', async t => {
  const { ledger, get, node } = await setUp(t)
  const mint = ledger.mint({ decimals: 9, supply: 18_446_744_073_709_551_615n })
  const answer = await get(`/api/supply/${mint.address}`)
  t.equal(answer.status, 200)
  t.same(answer.json(), {
    result: '18446744073.709551615',
    data: {
      mint: mint.address,
      totalSupply: '18446744073.709551615',
      circulatingSupply: '18446744073.709551615',
      teamPerformancePackage: '0',
      protocolAmmLiquidity: '0',
      externalLpLiquidity: '0',
      decimals: 9,
      rawTotalSupply: '18446744073709551615'
    }
  })
  t.equal(node.calls.getMultipleAccounts, 2, 'its beginning, which shows a mint, and one round trip')
})

test('GET /api/supply/:mintAddress of a Token-2022 mint', async t => {
  const { ledger, get } = await setUp(t)
  const mint = ledger.mint({ decimals: 6, supply: 1_500_000n, program: 'token-2022', metadata: 'token-2022' })
  t.match((await get(`/api/supply/${mint.address}`)).json(), { result: '1.5' })
})

test(
  'spec 4.1, 4.2: GET /api/supply/:mintAddress/total and /circulating are the number alone, as plain text',
  async t => {
    const { ledger, get } = await setUp(t)
    const launch = ledger.launch({ version: 'v0.6', raise: 1_000_000_000_000n, packageAmount: 12_900_000_000_000n })
    launch.complete()
    const total = await get(`/api/supply/${launch.mint.address}/total`)
    t.same([total.status, total.body, total.headers['content-type']], [200, '25800000', 'text/plain; charset=utf-8'])
    const circulating = await get(`/api/supply/${launch.mint.address}/circulating`)
    t.same(
      [circulating.status, circulating.body, circulating.headers['content-type']],
      [200, '12900000', 'text/plain; charset=utf-8']
    )
  }
)

test('spec 4.4: an invalid mint address gives 400, an unknown mint 404', async t => {
  const { ledger, get } = await setUp(t, { RATE_LIMIT_MAX: '1000' })
  const wallet = ledger.newAddress()
  for (const suffix of ['', '/total', '/circulating']) {
    for (const invalid of [
      'x', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l', '1'.repeat(3_000), '%20', '%zz', '0x00'
    ]) {
      const answer = await get(`/api/supply/${invalid}${suffix}`)
      t.same([answer.status, answer.body], [400, '{"error":"Invalid mint address"}'], invalid.slice(0, 50) + suffix)
    }
    for (const unknown of [UNKNOWN, wallet]) {
      const answer = await get(`/api/supply/${unknown}${suffix}`)
      t.same([answer.status, answer.body], [404, '{"error":"Token mint not found"}'], unknown + suffix)
    }
  }
})

test('a token account is no mint', async t => {
  const { ledger, get } = await setUp(t)
  const mint = ledger.mint({ decimals: 6, supply: 1n })
  const account = ledger.tokenAccount(ledger.newAddress(), mint, 5n)
  t.equal((await get(`/api/supply/${account.address}`)).status, 404)
})

for (const version of ['v0.6', 'v0.7'] as const) {
  test(`the breakdown of a ${version} launch, through its whole life`, async t => {
    const { ledger, supply, node } = await setUp(t)
    const launch = ledger.launch({
      version,
      raise: 3_500_000_000_000n,
      packageAmount: 7_600_000_000_000n,
      ...(version === 'v0.7' && { additional: 5_125_000_000_000n })
    })
    const mint = launch.mint.address
    t.equal((await supply(mint)).teamPerformancePackage, '0', 'nothing is set apart before completion')

    launch.complete()
    const completed = await supply(mint)
    t.equal(completed.teamPerformancePackage, '7600000', 'from completion on, also before the package is initialised')
    t.equal(completed.protocolAmmLiquidity, '2000000')
    t.equal(completed.externalLpLiquidity, '899999.999876')
    t.equal(BigInt(completed.rawTotalSupply!), launch.mint.supply)

    if (version === 'v0.7') {
      launch.initializePackage()
      t.equal((await supply(mint)).teamPerformancePackage, '7600000', 'and after')
    }
    launch.unlock(2)
    const unlocked = await supply(mint)
    t.equal(unlocked.teamPerformancePackage, '4560000', 'two of five tranches unlocked')
    t.equal(Number(unlocked.circulatingSupply), Number(unlocked.totalSupply) - 4_560_000)

    launch.burnPackage()
    const burned = await supply(mint)
    t.equal(burned.teamPerformancePackage, '0')
    t.equal(burned.circulatingSupply, burned.totalSupply)
    t.equal(BigInt(burned.rawTotalSupply!), launch.mint.supply, 'the supply has fallen')
    const trips = () => node.log.filter(({ params }) => Array.isArray(params) && Array.isArray(params[0]) &&
      params[0][0] === mint && params[0].includes(launch.addresses.launch)).length
    const before = trips()
    await supply(mint)
    t.equal(trips() - before, 1, 'one round trip: which accounts it takes is known')
  })
}

test('a v0.8 launch locks no team tokens: they are minted when earned', async t => {
  const { ledger, supply } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.8', raise: 1_000_000_000_000n, packageAmount: 5_000_000_000_000n })
  launch.complete()
  const record = await supply(launch.mint.address)
  t.match(
    record, { teamPerformancePackage: '0', protocolAmmLiquidity: '2000000', externalLpLiquidity: '899999.999933' }
  )
  t.equal(record.circulatingSupply, record.totalSupply)
})

test('an older v0.7 account lacks its last fields', async t => {
  const { ledger, supply } = await setUp(t)
  const launch = ledger.launch(
    { version: 'v0.7', raise: 1_000_000_000_000n, packageAmount: 10n, olderLayout: true, spendingMembers: 3 }
  )
  launch.complete()
  t.equal((await supply(launch.mint.address)).teamPerformancePackage, '0.00001')
})

test('external liquidity is the protocol\'s own position, whatever else lies in the pool', async t => {
  const { ledger, supply } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.7', raise: 1_000_000_000_000n, packageAmount: 0n })
  launch.complete()
  const mint = launch.mint.address
  launch.pool!.addOtherLiquidity(5_250_035_401_842_164_428_800_000_000_000n)
  t.equal((await supply(mint)).externalLpLiquidity, '899999.999933', 'others\' liquidity is not the protocol\'s')
  launch.pool!.setSqrtPrice(8_249_634_742_471_189_504n)
  t.equal((await supply(mint)).externalLpLiquidity, '636396.103001', 'it follows the price')
  launch.pool!.setSqrtPrice(5_833_372_668_713_516_032n)
  launch.pool!.withdraw(0.5)
  t.equal((await supply(mint)).externalLpLiquidity!.slice(0, 6), '449999', 'half of it withdrawn')
  launch.pool!.closePosition()
  t.equal((await supply(mint)).externalLpLiquidity, '0', 'a closed position holds nothing')
})

test('a position whose NFT has left the vault is no longer the protocol\'s', async t => {
  const { ledger, supply } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.7', raise: 1_000_000_000_000n, packageAmount: 0n })
  launch.complete()
  const { positionNftAccount } = launch.addresses
  const { owner, data } = ledger.account(positionNftAccount)!
  data.writeBigUInt64LE(0n, 64)
  ledger.setAccount(positionNftAccount, { owner, data })
  t.equal((await supply(launch.mint.address)).externalLpLiquidity, '0')
})

test('lamports sent to an address before its account exists change nothing', async t => {
  const { ledger, supply } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.7', raise: 1_000_000_000_000n, packageAmount: 5n })
  launch.complete()
  ledger.setAccount(
    launch.addresses.package, { owner: '11111111111111111111111111111111', data: Buffer.alloc(0), lamports: 1 }
  )
  t.equal((await supply(launch.mint.address)).teamPerformancePackage, '0.000005')
})

test('every account that contradicts the others fails the answer', async t => {
  const { ledger, app } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.6', raise: 1_000_000_000_000n, packageAmount: 12_900_000_000_000n })
  launch.complete()
  const other = ledger.launch({ version: 'v0.6', raise: 1_000_000_000_000n, packageAmount: 12_900_000_000_000n })
  other.complete()
  for (const name of ['launch', 'package', 'packageVault', 'ammBaseVault', 'pool', 'position'] as const) {
    const address = launch.addresses[name]
    const foreign = ledger.account(other.addresses[name])!
    const own = ledger.account(address)!
    const spoilt: Array<[string, { owner: string, data: Buffer }]> = [
      ['another token\'s account', foreign],
      ['another owner', { owner: ledger.newAddress(), data: own.data }],
      ['cut short', { owner: own.owner, data: own.data.subarray(0, 60) }],
      [
        'another kind of account',
        { owner: own.owner, data: Buffer.concat([Buffer.from('0102030405060708', 'hex'), own.data.subarray(8)]) }
      ]
    ]
    for (const [what, account] of spoilt) {
      if (what === 'another kind of account' && name.endsWith('Vault')) continue
      ledger.setAccount(address, account)
      ledger.advance(80)
      const answer = await app.inject(`/api/supply/${launch.mint.address}`)
      t.same(
        [answer.statusCode, answer.payload],
        [500, '{"error":"Failed to fetch DAO data from blockchain"}'],
        `${name}: ${what}`
      )
    }
    ledger.setAccount(address, undefined)
  }
  ledger.advance(80)
  t.equal((await app.inject(`/api/supply/${launch.mint.address}`)).statusCode, 200, 'and it recovers')
})

test('a Vec count that exceeds the account\'s bytes is refused before anything is allocated', async t => {
  const { ledger, app } = await setUp(t)
  const launch = ledger.launch({ version: 'v0.6', raise: 1_000_000_000_000n, packageAmount: 12_900_000_000_000n })
  launch.complete()
  for (const [name, offset] of [['launch', 25], ['package', 8]] as const) {
    const { owner, data } = ledger.account(launch.addresses[name])!
    data.writeUInt32LE(2 ** 28, offset)
    ledger.setAccount(launch.addresses[name], { owner, data })
    const before = process.memoryUsage().heapUsed
    t.equal((await app.inject(`/api/supply/${launch.mint.address}`)).statusCode, 500, name)
    t.ok(process.memoryUsage().heapUsed - before < 50_000_000, 'no memory taken')
    ledger.setAccount(launch.addresses[name], undefined)
  }
})

test('each failing read fails the answer, and none is ever taken for zero', async t => {
  const { ledger, node, app } = await setUp(t, { STALE_IF_ERROR: '0' })
  const launch = ledger.launch({ version: 'v0.6', raise: 1_000_000_000_000n, packageAmount: 12_900_000_000_000n })
  launch.complete()
  for (let after = 0; after < 2; after++) {
    node.faults.set({ method: 'getMultipleAccounts', kind: 'status', value: 500, after })
    ledger.advance(80)
    const answer = await app.inject(`/api/supply/${launch.mint.address}`)
    t.same(
      [answer.statusCode, answer.payload], [502, '{"error":"Upstream RPC service unavailable"}'], `read ${after + 1}`
    )
    node.faults.clear()
  }
})

test('a supply is kept for 10 seconds, then stale with its age while the chain fails, then not at all', async t => {
  const { ledger, node, get } = await setUp(t)
  const mint = ledger.mint({ decimals: 0, supply: 7n }).address
  t.match((await get(`/api/supply/${mint}`)).headers, { 'cache-control': 'public, max-age=10', age: undefined })
  await node.stop()
  ledger.advance(30)
  const stale = await get(`/api/supply/${mint}/total`)
  t.match(stale, { status: 200, body: '7', headers: { age: '30', 'cache-control': 'public, max-age=0' } })
  ledger.advance(41)
  t.equal((await get(`/api/supply/${mint}`)).status, 502)
  await node.restart()
})

test('a token of no launch has the DAOs that trade it as its internal AMM, excluded ones aside', async t => {
  const { ledger, node } = await startChain(t)
  const base = ledger.mint({ symbol: 'OLD', supply: 10n ** 15n })
  const reserves = { quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const [first, second, excluded] = [0, 1, 2].map(() => ledger.dao({ base, ...reserves }))
  ledger.dao({ base: ledger.mint(), ...reserves, quote: base, quoteReserves: 5n })
  const app = await build(t, { env: settings(t, node, ledger, { EXCLUDED_DAOS: excluded!.address }) })
  first!.swap('buy', 1_000_000n)
  const vaults = first!.vaults.base + second!.vaults.base
  const answer = await app.inject(`/api/supply/${base.address}`)
  t.match(answer.json(), {
    data: {
      protocolAmmLiquidity: formatUnits(vaults, 6),
      teamPerformancePackage: '0',
      externalLpLiquidity: '0',
      circulatingSupply: '1000000000',
      rawTotalSupply: String(10n ** 15n)
    }
  })
})

test('of a token that was issued anew for a DAO, what nobody has claimed does not circulate', async t => {
  const { ledger, node } = await startChain(t)
  const base = ledger.mint({ symbol: 'NEW', supply: 10n ** 13n })
  const reserves = { quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const dao = ledger.relaunch({ base, unclaimed: 7_500_000n, ...reserves })
  // what lies there for a token that only a stranger's DAO trades is anyone's
  const other = ledger.mint({ supply: 10n ** 13n })
  ledger.dao({ base: other, ...reserves })
  const { vault } = relaunchAddresses(base.address)
  const app = await build(t, { env: settings(t, node, ledger) })
  t.match((await app.inject(`/api/supply/${base.address}`)).json(), {
    data: {
      totalSupply: '10000000',
      circulatingSupply: '9999992.5',
      teamPerformancePackage: '0',
      protocolAmmLiquidity: formatUnits(dao.vaults.base, 6)
    }
  })
  t.match((await app.inject(`/api/supply/${other.address}`)).json(), { data: { circulatingSupply: '10000000' } })
  await historyComplete(app)
  const { supply } = (await app.inject(`/api/daos/${dao.address}`)).json()
  t.match(
    supply.allocation.find(({ kind }: { kind: string }) => kind === 'launch_vault'),
    { address: vault, amount: '7.5', circulating: false }
  )
})

test('what is unclaimed does not circulate though its DAO is excluded, or can\'t be decoded', async t => {
  const { ledger, node } = await startChain(t)
  const base = ledger.mint({ symbol: 'NEW', supply: 10n ** 13n })
  const reserves = { quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const dao = ledger.relaunch({ base, unclaimed: 7_500_000n, ...reserves })
  const left = (pool: bigint) =>
    ({ data: { circulatingSupply: '9999992.5', protocolAmmLiquidity: formatUnits(pool, 6) } })
  const path = `/api/supply/${base.address}`
  const excluding = await build(t, { env: settings(t, node, ledger, { EXCLUDED_DAOS: dao.address }) })
  t.match((await excluding.inject(path)).json(), left(0n))
  const { owner, data } = ledger.account(dao.address)!
  ledger.setAccount(dao.address, { owner, data: data.fill(9, 8, 9) })
  const alone = await build(t, { env: settings(t, node, ledger) })
  t.equal((await alone.inject(path)).statusCode, 500, 'nobody knows what is there while no DAO can be decoded')
  ledger.dao({ base: ledger.mint(), ...reserves })
  const app = await build(t, { env: settings(t, node, ledger) })
  t.match((await app.inject(path)).json(), left(dao.vaults.base), 'what its vault holds is its pool')
})

test('while a DAO that trades a token of no launch can\'t be decoded, its supply is an error, ' +
  'and others are not', async t => {
  const { ledger, node } = await startChain(t)
  const reserves = { quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  const [base, other] = [ledger.mint({ supply: 10n ** 13n }), ledger.mint({ supply: 10n ** 13n })]
  const dao = ledger.dao({ base, ...reserves })
  const whole = ledger.dao({ base: other, ...reserves })
  const { owner, data } = ledger.account(dao.address)!
  ledger.setAccount(dao.address, { owner, data: Buffer.from(data).fill(9, 8, 9) })
  const app = await build(t, { env: settings(t, node, ledger) })
  t.equal((await app.inject(`/api/supply/${base.address}`)).statusCode, 500, 'what its pool holds is not 0')
  t.match(
    (await app.inject(`/api/supply/${other.address}`)).json(),
    { data: { protocolAmmLiquidity: formatUnits(whole.vaults.base, 6) } }
  )
  const usdc = `/api/supply/${reserves.quote.address}`
  t.match((await app.inject(usdc)).json(), { data: { protocolAmmLiquidity: '0' } }, 'its quote: the base is before it')
  const odd = Buffer.from(data).fill(9, 8, 9)
  odd.fill(0, odd.lastIndexOf(keyBytes(base.address)), odd.lastIndexOf(keyBytes(reserves.quote.address)))
  ledger.setAccount(dao.address, { owner, data: odd })
  const another = await build(t, { env: settings(t, node, ledger) })
  t.equal((await another.inject(usdc)).statusCode, 500, 'nobody knows what it is there')
})

test(
  'a token of no launch has the DAOs of a list that can no longer be read: its supply is as old as that list',
  async t => {
    const { ledger, node, get } = await setUp(t)
    const base = ledger.mint({ supply: 10n ** 15n })
    ledger.dao({ base, quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
    const path = `/api/supply/${base.address}/circulating`
    t.match(await get(path), { status: 200, headers: { age: undefined } })
    node.faults.set({ method: 'getProgramAccounts', kind: 'status', value: 500 })
    ledger.advance(30)
    t.match(
      await get(path), { status: 200, body: '1000000000', headers: { age: '30', 'cache-control': 'public, max-age=0' } }
    )
  }
)

test('the vaults of more DAOs than one call reads are added up all the same', async t => {
  const { ledger, node } = await startChain(t)
  const base = ledger.mint({ supply: 10n ** 15n })
  const usdc = ledger.usdc()
  for (let i = 0; i < 130; i++) {
    ledger.dao({ base, quote: usdc, baseReserves: 1_000_000n + BigInt(i), quoteReserves: 10n ** 6n })
  }
  const app = await build(t, { env: settings(t, node, ledger) })
  t.match(
    (await app.inject(`/api/supply/${base.address}`)).json(),
    { data: { protocolAmmLiquidity: formatUnits(130_000_000n + 129n * 65n, 6) } }
  )
})

test('a Token-2022 multisig is no mint, whatever its signers\' keys look like', async t => {
  const { ledger, get } = await setUp(t)
  const address = ledger.newAddress()
  const data = Buffer.alloc(355)
  data[45] = 1
  data[165] = 1
  ledger.setAccount(address, { owner: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', data })
  const answer = await get(`/api/supply/${address}`)
  t.same([answer.status, answer.json()], [404, { error: 'Token mint not found' }])
})
