import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test, type Test } from 'tap'
import { parseDecimal, type Rational } from '../../lib/decimal.js'
import type {
  BlockEvent, DexAsset, DexEvents, DexPair, GeckoTerminalAsset, LatestBlock
} from '../../schemas/block-range.js'
import type { Ready } from '../../schemas/ready.js'
import { createRandom, type Dao } from '../../simulator/index.js'
import { allOfNow, asking, build, historyComplete, settings, startChain, until } from '../helper.js'

const OTHER = 'So11111111111111111111111111111111111111112'

async function setUp (t: Test, env: Record<string, string> = {}) {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const reserves = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }
  const start = async (excluded: string[] = []) => {
    const app = await build(t, {
      env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000', EXCLUDED_DAOS: excluded.join(), ...env }),
      now: () => ledger.time * 1000,
      pollMs: 20,
      bounds: { delay: 60_000 }
    })
    await historyComplete(app)
    const { get, refused } = asking(t, app)
    const latest = async (): Promise<number> => {
      const answer = await app.inject('/dexscreener/latest-block')
      return answer.statusCode === 200 ? answer.json<LatestBlock>().block.blockNumber : -1
    }
    /** Lets everything up to now be published. */
    const publish = async (): Promise<number> => {
      const slot = ledger.slot
      let newest = -1
      await until('it is published', async () => {
        ledger.advance(31)
        newest = await latest()
        return newest >= slot
      })
      t.ok(newest >= slot, `published up to ${newest} of ${slot}`)
      return newest
    }
    return { app, get, latest, publish, refused }
  }
  const dao = (decimals = 6) => ledger.dao(
    { base: ledger.mint({ decimals, symbol: 'AAA', name: 'Token A' }), quote: usdc, ...reserves }
  )
  return { ledger, node, usdc, dao, start }
}

const raw = (text: string, decimals = 6): bigint => {
  const { n, d } = parseDecimal(text) as Rational
  return n * 10n ** BigInt(decimals) / d
}

/** The reserves that follow from an event and those before it. */
function follow ([base, quote]: [bigint, bigint], event: BlockEvent, decimals = 6): [bigint, bigint] {
  if (event.eventType !== 'swap') {
    const sign = event.eventType === 'join' ? 1n : -1n
    return [base + sign * raw(event.amount0, decimals), quote + sign * raw(event.amount1)]
  }
  const { protocolFee } = event.metadata!
  if ('asset0In' in event) {
    return [
      base + raw(event.asset0In, decimals) - raw(protocolFee, decimals), quote - raw(event.asset1Out)
    ]
  }
  return [base - raw(event.asset0Out, decimals), quote + raw(event.asset1In) - raw(protocolFee)]
}

test('a pool through its life: reserves follow from the events', async t => {
  const { ledger, dao, start } = await setUp(t)
  const pool = dao()
  const first = ledger.slot
  const step = (act: () => unknown) => { ledger.advance(30); act() }
  for (const act of [
    () => pool.swap('buy', 1_000_000_001n), () => pool.swap('sell', 3_333_333_333n),
    () => pool.provideLiquidity(5_000_000_000n, 100_000_000_000n),
    () => pool.collectFees(), () => pool.swap('buy', 77_777_777n), () => pool.withdrawLiquidity(0.25),
    () => pool.launchProposal(), () => pool.finalizeProposal({ passed: true }), () => pool.swap('sell', 1_000_000n),
    () => pool.launchProposal(), () => pool.cancelProposal(), () => pool.swap('buy', 5_000_000n)
  ]) step(act)
  const { get, publish } = await start()
  const to = await publish()
  const { events } = await get<DexEvents>(
    `/dexscreener/events?fromBlock=${first - 100}&toBlock=${Math.min(to, first + 9_000)}`
  )
  t.same(events.map(({ eventType }) => eventType),
    ['join', 'swap', 'swap', 'join', 'swap', 'exit', 'exit', 'join', 'swap', 'exit', 'join', 'swap'])
  let reserves: [bigint, bigint] = [0n, 0n]
  for (const [at, event] of events.entries()) {
    reserves = follow(reserves, event)
    t.same([raw(event.reserves!.asset0), raw(event.reserves!.asset1)], reserves, `event ${at}, ${event.eventType}`)
  }
  t.same(reserves, [pool.reserves.base, pool.reserves.quote], 'and end as the pool\'s own')
  t.match(
    events.find(event => event.eventType === 'swap'),
    { asset1In: '1000.000001', metadata: { protocolFee: '5.000001' }, pairId: pool.address }
  )
  t.same((await get<DexEvents>(
    `/geckoterminal/events?fromBlock=${first - 100}&toBlock=${Math.min(to, first + 9_000)}`
  )).events, events)
})

test('a pool of a token with more places than indexers read is in no range, and holds up no other', async t => {
  const { dao, ledger, start } = await setUp(t)
  const first = ledger.slot
  const [most, more, another] = [dao(50), dao(51), dao()]
  for (const pool of [most, more, another]) pool.swap('buy', 1_000_000n)
  const { get, publish, refused } = await start()
  const to = await publish()
  for (const form of ['dexscreener', 'geckoterminal']) {
    const { events } = await get<DexEvents>(`/${form}/events?fromBlock=${first}&toBlock=${to}`)
    t.same(new Set(events.map(({ pairId }) => pairId)), new Set([most.address, another.address]))
    await get(`/${form}/pair?id=${most.address}`)
    await refused(`/${form}/pair?id=${more.address}`, 404, `Pool not found: ${more.address}`)
  }
})

type Sides = readonly [base: bigint, quote: bigint]
const plus = (a: Sides, b: Sides): Sides => [a[0] + b[0], a[1] + b[1]]
const less = (a: Sides, b: Sides): Sides => [a[0] - b[0], a[1] - b[1]]
const NOTHING: Sides = [0n, 0n]

/**
 * Every act of a pool, by chance, with what it did to the reserves: what its event has to tell, and what no event does.
 */
function follower (pool: Dao, random: ReturnType<typeof createRandom>) {
  const told: Array<{ moved: Sides, after: Sides, untold: Sides, isLive: boolean }> = []
  const now = (): Sides => [pool.reserves.base, pool.reserves.quote]
  const acts = new Map<string, number>()
  let untold: Sides = NOTHING

  /** `tell`: what the act's event tells of it; undefined where it has none. */
  function note (name: string, act: () => Sides | 'all' | undefined): void {
    const [before, isLive] = [now(), pool.proposalLive]
    const moved = act()
    acts.set(name, (acts.get(name) ?? 0) + 1)
    const change = less(now(), before)
    untold = plus(untold, moved === undefined ? change : moved === 'all' ? NOTHING : less(change, moved))
    if (moved === undefined) return
    told.push({ moved: moved === 'all' ? change : moved, after: now(), untold, isLive })
    untold = NOTHING
  }
  const silently = (act: () => unknown) => (): undefined => { act() }
  const wholly = (act: () => unknown) => (): 'all' => { act(); return 'all' }
  const part = (amount: bigint): bigint => 1n + random.amount(amount / 10_000n, amount / 50n)
  const swap = (side: 'buy' | 'sell', amount: bigint) => (): Sides | undefined => {
    const { input, output, fee } = pool.swap(side, amount, random.int(6) === 0 ? { via: 'aggregator' } : {})
    if (output === 0n) return undefined
    return side === 'buy' ? [-output, input - fee] : [input - fee, -output]
  }
  const side = (): 'buy' | 'sell' => random.int(2) === 0 ? 'buy' : 'sell'

  note('began', wholly(() => pool.provideLiquidity(200_000_000_000n, 10n ** BigInt(pool.base.decimals) * 2_000_000n)))
  return {
    told,
    acts,
    /** One act that the pool's state allows. */
    act (): void {
      const way = side()
      const { base, quote } = pool.reserves
      const chance = random.int(20)
      const status = pool.proposal?.status
      if (chance < 6) note('swap', swap(way, part(way === 'buy' ? quote : base)))
      else if (chance === 6) note('dust', swap(way, random.amount(1n, 60_000n)))
      else if (pool.proposalLive && chance < 14) {
        const market = random.int(2) === 0 ? 'pass' as const : 'fail' as const
        const conditional = pool.state.pools[market]!
        note(`conditional ${market}`, silently(
          () => pool.conditionalSwap(market, way, part(way === 'buy' ? conditional.quote : conditional.base) * 2n)
        ))
      } else if (pool.proposalLive && chance === 14) {
        note('passed', wholly(() => pool.finalizeProposal({ passed: true })))
      } else if (pool.proposalLive && chance === 15) {
        note('failed', wholly(() => pool.finalizeProposal({ passed: false })))
      } else if (pool.proposalLive && chance === 16) note('cancelled', wholly(() => pool.cancelProposal()))
      else if (pool.proposalLive) note('updated', silently(() => pool.updateDao()))
      else if (chance === 7) {
        note('liquidity in', wholly(() => pool.provideLiquidity(random.amount(1_000_000n, quote / 10n))))
      } else if (chance === 8) note('liquidity out', wholly(() => pool.withdrawLiquidity(0.01 * (1 + random.int(9)))))
      else if (chance === 9) note('fees collected', silently(() => pool.collectFees()))
      else if (chance === 10 && status === 'draft') note('staked', silently(() => pool.stake()))
      else if (chance === 11 && status === 'draft') note('unstaked', silently(() => { pool.stake(); pool.unstake() }))
      else if (chance === 12 && status === 'draft') note('sponsored', silently(() => pool.sponsor()))
      else if (chance === 13 && status === 'draft') note('removed', silently(() => pool.removeProposal()))
      else if (chance < 14 && status !== 'draft') note('proposed', silently(() => pool.initializeProposal()))
      else if (chance < 17) note('launched', wholly(() => pool.launchProposal()))
      else if (chance === 17) note('given', silently(() => pool.donate(5n, 7n)))
      else note('of a later build', silently(() => pool.updateDao()))
    }
  }
}

test(
  'whatever a pool goes through, reserves follow to the raw unit; what no event tells is in the reserves of the next',
  async t => {
    const { ledger, usdc, start } = await setUp(t)
    const random = createRandom(404)
    const first = ledger.slot
    const layouts = ['F0', 'F1', 'F2', 'F3'] as const
    const pools = [0, 2, 6, 9].map((decimals, at) =>
      ledger.dao(
        { base: ledger.mint({ decimals }), quote: usdc, layout: layouts[at]!, protocolFeeBps: 25, lpFeeBps: 25 }
      ))
    const followers = pools.map(pool => follower(pool, random))
    for (let turn = 0; turn < 600; turn++) {
      if (turn === 250) for (const pool of pools) pool.setFees(50, 0)
      const one = followers[random.int(followers.length)]!
      if (random.int(12) === 0) ledger.transaction(() => { one.act(); followers[0]!.act() }, { via: 'aggregator' })
      else one.act()
      // many in one slot, and now and then a pause that lets average prices move
      if (random.int(3) !== 0) ledger.advance(random.int(20) === 0 ? 70 : 0.2 * random.int(4))
    }
    const { get, publish } = await start()
    const to = await publish()
    const { events } = await get<DexEvents>(
    `/geckoterminal/events?fromBlock=${Math.max(first - 10, to - 19_999)}&toBlock=${to}`
    )
    t.ok(to - 19_999 <= first, 'all of it in one range')
    let [live, dust] = [0, 0]
    for (const [at, pool] of pools.entries()) {
      const { decimals } = pool.base
      const { told, acts } = followers[at]!
      const own = events.filter(({ pairId }) => pairId === pool.address)
      t.equal(
        own.length,
        told.length,
      `${own.length} events of ${[...acts].map(([name, times]) => `${times} ${name}`).join(', ')}`
      )
      let before: Sides = NOTHING
      for (const [i, event] of own.entries()) {
        const { moved, after, untold, isLive } = told[i]!
        const where = `${decimals} decimals, event ${i}, ${event.eventType}`
        t.strictSame(less(follow([...before], event, decimals), before), moved, where)
        t.strictSame([raw(event.reserves!.asset0, decimals), raw(event.reserves!.asset1)], after, where)
        t.strictSame(plus(plus(before, moved), untold), after, where)
        before = after
        // the program's arbitrage while a proposal is live, and swaps that gave nothing: nothing else moves a pool
        // without an event
        if (untold[0] === 0n && untold[1] === 0n) continue
        if (isLive) live++
        else dust++
      }
    }
    t.ok(live > 30 && dust > 0, `${live} of them after arbitrage, ${dust} after dust`)
  }
)

test('events come in the order of the chain, and a range never changes', async t => {
  const { ledger, dao, start } = await setUp(t)
  const [one, other] = [dao(), dao()]
  const first = ledger.slot
  for (let i = 0; i < 30; i++) {
    ledger.advance(i % 3)
    for (const pool of [one, other]) {
      pool.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n + BigInt(i), i % 5 === 0 ? { via: 'aggregator' } : {})
    }
    if (i % 7 === 0) ledger.transaction(() => { one.swap('buy', 5_000_000n); other.swap('sell', 6_000_000n) })
  }
  one.swap('buy', 1n)   // gives nothing
  const last = ledger.slot
  const { get, publish, latest, refused, app } = await start()
  await publish()
  const url = `/dexscreener/events?fromBlock=${first}&toBlock=${last}`
  const { events } = await get<DexEvents>(url)
  t.equal(events.filter(({ eventType }) => eventType === 'swap').length, 30 * 2 + 5 * 2)
  const places = events.map(({ block, txnIndex, eventIndex }) => [block.blockNumber, txnIndex, eventIndex] as const)
  t.ok(
    places.every((place, at) => at === 0 || compare(places[at - 1]!, place) < 0), 'ascending, and no two at one place'
  )
  for (const event of events) {
    const index = ledger.history.find(event.txnId)!
    t.equal(event.txnIndex, ledger.history.blockIndex(index))
  }
  // slot by slot it is the same
  const single: BlockEvent[] = []
  for (let slot = first; slot <= last; slot++) {
    single.push(...(await get<DexEvents>(`/dexscreener/events?fromBlock=${slot}&toBlock=${slot}`)).events)
  }
  t.same(single, events)
  const bytes = (await app.inject(url)).payload
  one.swap('buy', 9_000_000n)
  await publish()
  t.equal((await app.inject(url)).payload, bytes)

  const newest = await latest()
  // more may be published by now
  const beyond = await app.inject(`/dexscreener/events?fromBlock=${newest}&toBlock=${newest + 1_000}`)
  t.match([beyond.statusCode, beyond.json()], [400, { error: /^Invalid toBlock: the latest block, \d+, at most$/ }])
  await refused(
    `/dexscreener/events?fromBlock=${newest - 20_000}&toBlock=${newest}`,
    400,
    'Invalid toBlock: at most 20000 blocks in one call'
  )
  t.equal((await app.inject(`/dexscreener/events?fromBlock=${newest - 19_999}&toBlock=${newest}`)).statusCode, 200)
  await refused('/dexscreener/events?fromBlock=5&toBlock=4', 400, 'Invalid toBlock: fromBlock or more')
  const noStart = 'Invalid fromBlock: a whole number, 0 or more (slot), as 400120000'
  await refused('/dexscreener/events?toBlock=4', 400, noStart)
  await refused('/dexscreener/events?fromBlock=-1&toBlock=4', 400, noStart)
  await refused('/dexscreener/events?fromBlock=1&toBlock=4&pair=x', 400, 'Invalid pair: only fromBlock, toBlock here')
})

test('a range is packed as its reader takes it: other bytes, the same events, each form with its own tag', async t => {
  const { ledger, dao, start } = await setUp(t)
  const pool = dao()
  const first = ledger.slot
  for (let i = 0; i < 40; i++) {
    ledger.advance(1)
    pool.swap('buy', 1_000_000n + BigInt(i))
  }
  const last = ledger.slot
  const { publish, app } = await start()
  await publish()
  const packed = { gzip: gunzipSync, br: brotliDecompressSync }
  for (const form of ['dexscreener', 'geckoterminal']) {
    const url = `/${form}/events?fromBlock=${first}&toBlock=${last}`
    const plain = await app.inject({ url, headers: { 'accept-encoding': 'identity' } })
    t.equal(plain.headers['content-encoding'], undefined)
    t.equal(plain.json<DexEvents>().events.length, 41)
    const tags = [String(plain.headers.etag)]
    for (const [encoding, unpack] of Object.entries(packed)) {
      const answer = await app.inject({ url, headers: { 'accept-encoding': encoding } })
      t.match(
        answer.headers,
        { 'content-encoding': encoding, vary: 'accept-encoding', 'content-type': 'application/json; charset=utf-8' },
        url
      )
      t.equal(Number(answer.headers['content-length']), answer.rawPayload.length)
      t.ok(
        answer.rawPayload.length < plain.rawPayload.length / 2,
        `${encoding}: ${answer.rawPayload.length} of ${plain.rawPayload.length} bytes`
      )
      t.ok(unpack(answer.rawPayload).equals(plain.rawPayload), `${encoding}: the same bytes once unpacked`)
      tags.push(String(answer.headers.etag))
      const head = await app.inject({ method: 'HEAD', url, headers: { 'accept-encoding': encoding } })
      t.same(
        [head.statusCode, head.payload, head.headers.etag, head.headers['content-length']],
        [200, '', answer.headers.etag, answer.headers['content-length']]
      )
    }
    t.equal(new Set(tags).size, 3, 'strong tags: each form has its own')
    t.ok(tags.every(tag => /^"[^"]+"$/.test(tag)))
    // who has the events in whatever form need not have them again
    for (const known of [...tags, `W/${tags[0]}`, `"other", ${tags[2]}`, '*']) {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const answer = await app.inject({ url, headers: { 'accept-encoding': encoding, 'if-none-match': known } })
        t.same(
          [answer.statusCode, answer.rawPayload.length, answer.headers['content-encoding']],
          [304, 0, undefined],
          `${known} as ${encoding}`
        )
        t.match(answer.headers, {
          etag: tags[['identity', 'gzip', 'br'].indexOf(encoding)],
          vary: 'accept-encoding',
          'cache-control': 'public, max-age=10'
        })
      }
    }
    for (const known of ['"other"', 'x', tags[0]!.slice(0, -2) + '"']) {
      t.equal((await app.inject({ url, headers: { 'if-none-match': known } })).statusCode, 200, known)
    }
    const other = await app.inject(
      { url: `/${form}/events?fromBlock=${first + 1}&toBlock=${last}`, headers: { 'if-none-match': tags.join() } }
    )
    t.equal(other.statusCode, 200, 'another range is another answer')
    const small = await app.inject(
      { url: `/${form}/events?fromBlock=${first - 1}&toBlock=${first - 1}`, headers: { 'accept-encoding': 'br, gzip' } }
    )
    t.same(
      [small.payload, small.headers['content-encoding']],
      ['{"events":[]}', undefined],
      'what fits a packet is not packed'
    )
    t.equal((await app.inject(
      { url: `/${form}/events?fromBlock=5&toBlock=4`, headers: { 'if-none-match': '*', 'accept-encoding': 'br' } }
    )).statusCode, 400)
  }
})

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, i) => value !== b[i])
  return at === -1 ? 0 : a[at]! - b[at]!
}

test('pairs and assets', async t => {
  const { ledger, node, usdc, dao, start } = await setUp(t)
  const pool = dao()
  const excluded = dao()
  const bare = ledger.dao({
    base: ledger.mint({ decimals: 9, metadata: 'none', supply: 18_446_744_073_709_551_615n }),
    quote: usdc,
    baseReserves: 10n ** 18n,
    quoteReserves: 10n ** 15n
  })
  pool.swap('buy', 1_000_000n)
  const { app, get, publish, refused } = await start([excluded.address])
  const to = await publish()
  await allOfNow(app, ledger)
  const began = ledger.history.ofAddress(pool.address)![0]!
  t.same(await get<DexPair>(`/dexscreener/pair?id=${pool.address}`), {
    pair: {
      id: pool.address,
      dexKey: 'futarchy',
      asset0Id: pool.base.address,
      asset1Id: usdc.address,
      createdAtBlockNumber: ledger.history.slot(began),
      createdAtBlockTimestamp: ledger.history.time(began),
      createdAtTxnId: ledger.history.signature(began),
      creator: pool.creator
    }
  })
  t.match(
    await get<DexAsset>(`/dexscreener/asset?id=${usdc.address}`),
    { asset: { id: usdc.address, name: 'USD Coin', symbol: 'USDC', totalSupply: '9000000000' } }
  )
  const mint = bare.base.address
  t.same(await get<GeckoTerminalAsset>(`/geckoterminal/asset?id=${mint}`), {
    asset: {
      id: mint,
      name: mint,
      symbol: mint.slice(0, 8),
      totalSupply: '18446744073.709551615',
      circulatingSupply: '18446744073.709551615',
      decimals: 9
    }
  })
  const { events } = await get<DexEvents>(`/dexscreener/events?fromBlock=${to - 19_999}&toBlock=${to}`)
  t.same(
    new Set(events.map(({ pairId }) => pairId)), new Set([pool.address, bare.address]), 'excluded DAOs have no events'
  )
  await refused(`/dexscreener/pair?id=${excluded.address}`, 404, `Pool not found: ${excluded.address}`)
  await refused(`/dexscreener/pair?id=${OTHER}`, 404, `Pool not found: ${OTHER}`)
  await refused('/dexscreener/pair?id=x', 400, 'Invalid pool_id')
  await refused(
    '/dexscreener/pair', 400, 'Invalid id: the address of a pool, as 7XJKe3jUYJ9ZxkXyFQzzJmnhfhZSHSxmDHVjvPqk7Kqd'
  )
  await refused('/geckoterminal/asset?id=x', 400, 'Invalid mint address')
  await refused(`/geckoterminal/asset?id=${OTHER}`, 404, 'Token mint not found')
  const before = node.calls.getProgramAccounts!
  for (let i = 0; i < 20; i++) await refused(`/dexscreener/pair?id=${OTHER}`, 404, `Pool not found: ${OTHER}`)
  t.ok(node.calls.getProgramAccounts! - before <= 2, 'what is not there costs the node nothing each time')
})

test('latest-block is a finalized head, with its time by the Clock', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const pool = dao()
  pool.swap('buy', 1_000_000n)
  node.conditions.lacks = ['getBlockTime']
  const { get, publish } = await start()
  for (let trades = 0; trades < 3; trades++) {
    ledger.advance(10)
    const { slot } = pool.swap('buy', 1_000_000n)
    ledger.advance(10)
    await publish()
    const { block: { blockNumber, blockTimestamp } } = await get<LatestBlock>('/dexscreener/latest-block')
    t.ok(blockNumber > slot)
    t.equal(blockTimestamp, ledger.timeOf(blockNumber))
  }
})

test('while the places of old events are not known no block is told, as /ready says', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  dao().swap('buy', 1_000_000n)
  node.conditions.software = 'older'
  node.faults.set({ method: 'getBlock', kind: 'rpc-error' })
  const { app, latest, publish, get } = await start()
  const isReady = async () => {
    const { answers } = await get<Ready>('/ready')
    return answers.find(({ paths }) => paths.includes('/dexscreener'))!.ready
  }
  ledger.advance(31)
  await allOfNow(app, ledger)
  t.same([await isReady(), await latest()], [false, -1])
  node.faults.clear()
  await publish()
  await allOfNow(app, ledger)
  t.ok(await isReady())
})

test('latest-block moves on a quiet market, and not past a transaction that is listed and not given', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const pool = dao()
  pool.swap('buy', 1_000_000n)
  const { publish, latest, get, app } = await start()
  const quiet = await publish()
  t.ok(await publish() > quiet, 'nothing happened, and it moved')
  t.ok((await get<LatestBlock>('/geckoterminal/latest-block')).block.blockTimestamp <= ledger.time)
  ledger.advance(10)
  node.faults.set({ method: 'getTransaction', kind: 'null-transaction' })
  pool.swap('buy', 2_000_000n)
  const slot = ledger.slot
  for (let looks = 0; looks < 20; looks++) {
    ledger.advance(31)
    await new Promise(resolve => setTimeout(resolve, 50))
    t.ok(await latest() < slot, 'not past what has not been given')
  }
  node.faults.clear()
  await until('it goes on', () => {
    ledger.advance(31); return app.history.status().missingTransactions === 0 &&
    app.history.status().missingEvents === 0
  })
  await publish()
  const { events } = await get<DexEvents>(`/dexscreener/events?fromBlock=${slot}&toBlock=${slot}`)
  t.equal(events.length, 1)
})

test('latest-block does not wait for what no node has of a DAO that is left out', async t => {
  const { ledger, node, dao, start } = await setUp(t)
  const [pool, excluded] = [dao(), dao()]
  const { latest, publish, get, app } = await start([excluded.address])
  await publish()
  ledger.advance(10)
  node.faults.set({ kind: 'hole', value: [ledger.time, ledger.time] })
  excluded.swap('buy', 1_000_000n)
  ledger.advance(10)
  excluded.swap('buy', 1_000_000n)
  pool.swap('buy', 2_000_000n)
  const { slot } = ledger
  for (let looks = 0; looks < 200 && await latest() < slot; looks++) {
    ledger.advance(31)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  t.ok(await latest() >= slot)
  t.equal(app.history.report().get(excluded.address)!.missingEvents, 1n)
  const { events } = await get<DexEvents>(`/dexscreener/events?fromBlock=${slot}&toBlock=${slot}`)
  t.same(events.map(({ pairId }) => pairId), [pool.address])
})
