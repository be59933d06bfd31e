import { test } from 'tap'
import type { Row } from '../../lib/page/list.js'
import type { DaoRecord } from '../../schemas/dao.js'
import type { Pool } from '../../schemas/pools.js'
import type { Treasuries, Treasury } from '../../schemas/treasury.js'
import { ammPosition, derive, PROGRAMS, squadsLimitAddress } from '../../simulator/addresses.js'
import { keyBytes } from '../../simulator/bytes.js'
import type { Dao, Launch, Ledger, Mint } from '../../simulator/index.js'
import { type SquadsLimit, writeAmmPosition, writeSquadsLimit } from '../../simulator/layouts.js'
import { createTokenAccount } from '../../simulator/mint.js'
import { createRandom, type Random } from '../../simulator/random.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { getterOf } from '../support/answers.js'

/** An exact fraction, and its texts by the rules of the methodology, without the service's own arithmetic. */
interface Part { n: bigint, d: bigint }
const tens = (places: number): bigint => 10n ** BigInt(places)
const part = (n: bigint, d = 1n): Part => ({ n, d })
const plus = (a: Part, b: Part): Part => part(a.n * b.d + b.n * a.d, a.d * b.d)
const times = (a: Part, b: Part): Part => part(a.n * b.n, a.d * b.d)
const by = (a: Part, b: Part): Part => part(a.n * b.d, a.d * b.n)

function rounded ({ n, d }: Part, places: number): string {
  const [size, sign] = n < 0n ? [-n, '-'] : [n, '']
  const digits = String((2n * size * tens(places) + d) / (2n * d)).padStart(places + 1, '0')
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return /[1-9]/.test(text) ? sign + text : text
}
/** Whole tokens, exact. */
const units = (raw: bigint, decimals: number): string =>
  decimals === 0 ? String(raw) : rounded(part(raw, tens(decimals)), decimals).replace(/\.?0+$/, '')
/** 12 significant digits, and 12 places at least. */
function priceOf (value: Part): string {
  let places = 12
  while (value.n > 0n && value.n * tens(places - 11) < value.d) places++
  return rounded(value, places)
}

const BID_WALL = 'WALL8ucBuUyL46QYxwYJjidaFYhdvxUFrgvBxPshERx'

/** A DAO, and what the ledger knows of it and of its token. */
interface Own {
  dao: Dao
  launch: Launch | null
  /** Raw units that its vault holds, in the accounts associated with known mints and in others. */
  held: Array<{ mint: Mint, amount: bigint, isKnown: boolean }>
  /** Of all liquidity, what is its own. */
  liquidity: bigint
  isBurnt: boolean
  /** What its bid wall holds of its token, raw units. */
  wall: bigint
}

function makeMarket (ledger: Ledger, random: Random) {
  const usdc = ledger.usdc()
  const owns: Own[] = []
  const chance = (of: number): boolean => random.int(of) === 0
  const priced = ledger.mint({ symbol: 'PRC', decimals: random.int(13) })
  const pricing = ledger.dao({
    base: priced,
    quote: usdc,
    baseReserves: random.amount(10n ** 6n, 10n ** 15n),
    quoteReserves: random.amount(10n ** 11n, 10n ** 13n)
  })
  const fake = ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: random.int(13) })
  const odd = ledger.mint({ symbol: 'ODD', decimals: 12, program: 'token-2022' })
  const adopt = (dao: Dao, launch: Launch | null, isBurnt = false): void => {
    const { totalLiquidity } = dao.state
    const own: Own = { dao, launch, held: [], liquidity: totalLiquidity, isBurnt, wall: 0n }
    if (totalLiquidity > 0n && dao.base.supply > dao.vaults.base && chance(3)) {
      // the rest is others': their positions are accounts of their own
      own.liquidity = chance(3) ? 0n : random.amount(1n, totalLiquidity)
      const address = ammPosition(ledger.program, dao.address, dao.identity.vault)
      const data = writeAmmPosition(dao.address, chance(2) ? dao.creator : dao.identity.vault, own.liquidity)
      ledger.setAccount(address, own.liquidity === 0n ? null : { owner: ledger.program, data })
    }
    if (launch !== null && chance(2)) {
      const [mint, signer] = [dao.base.address, launch.state.signer].map(keyBytes)
      const { address } = derive(BID_WALL, 'bid_wall', mint!, signer!, Buffer.alloc(8))
      own.wall = random.amount(1n, launch.unclaimed / 20n)
      createTokenAccount(ledger.accounts, address, dao.base, own.wall)
      launch.claim(own.wall)
    }
    const hold = (mint: Mint, isApart: boolean): void => {
      const amount = chance(6) ? 0n : random.amount(1n, 10n ** 13n)
      const isKnown = !isApart && [dao.base, dao.quote, usdc, priced].includes(mint)
      createTokenAccount(ledger.accounts, dao.identity.vault, mint, amount, isApart ? ledger.newAddress() : undefined)
      own.held.push({ mint, amount, isKnown })
    }
    const isBase = launch === null && dao.base.supply > dao.vaults.base + 10n ** 14n && chance(2)
    const isQuote = dao.quote !== usdc && chance(2)
    if (launch === null && chance(2)) hold(usdc, false)
    if (chance(3)) hold(usdc, true)
    if (isQuote) hold(dao.quote, false)
    if (isBase) hold(dao.base, chance(3))
    if (chance(3)) hold(fake === dao.quote ? odd : fake, false)
    if (chance(3) && priced !== dao.quote && priced !== dao.base) hold(priced, false)
    owns.push(own)
  }
  adopt(pricing, null)
  for (let i = 0; i < 9; i++) {
    const version = (['v0.6', 'v0.7', 'v0.8'] as const)[i % 3]!
    const launch = ledger.launch({
      version,
      mint: { symbol: `L${i}` },
      raise: random.amount(10n ** 9n, 10n ** 13n),
      packageAmount: chance(4) ? 0n : random.amount(10n, 12_900_000_000_000n),
      additional: chance(2) ? 5_000_000_000_000n : 0n,
      spendingMembers: random.int(4)
    })
    const dao = launch.complete()
    if (version === 'v0.7' && chance(2)) launch.initializePackage()
    if (launch.package !== null && chance(2)) launch.unlock(random.int(6))
    const isBurnt = launch.package !== null && version !== 'v0.8' && chance(4)
    if (isBurnt) launch.burnPackage()
    if (chance(2)) launch.claim(random.amount(1n, 9_000_000_000_000n))
    if (launch.state.additionalRecipient !== null && chance(2)) launch.claimAdditional()
    const pool = launch.pool!
    if (chance(2)) pool.setSqrtPrice(pool.range.price * BigInt(4 + random.int(9)) / 4n)
    if (chance(2)) pool.addOtherLiquidity(random.amount(1n, 10n ** 24n))
    if (chance(3)) pool.withdraw(random.next())
    if (chance(5)) pool.closePosition()
    adopt(dao, launch, isBurnt)
  }
  const quotes = [usdc, usdc, priced, fake]
  let shared: Mint | null = null
  for (let i = 0; i < 16; i++) {
    const decimals = [0, 12][i] ?? random.int(13)
    const baseReserves: bigint = i === 2 ? 0n : random.amount(10n, 10n ** 15n)
    // all of it in the pool: nothing is left that NAV could be divided by
    const supply = i === 3 ? baseReserves : 10n ** 18n
    const base: Mint = i === 5 && shared !== null ? shared : ledger.mint({ symbol: `P${i}`, decimals, supply })
    shared = base
    adopt(ledger.dao({
      base,
      quote: i === 3 || base === priced ? usdc : quotes[random.int(4)]!,
      baseReserves,
      quoteReserves: i === 2 ? 0n : random.amount(10n ** 5n, 10n ** 14n),
      layout: (['F0', 'F1', 'F2', 'F3'] as const)[i % 4]!,
      spendingMembers: random.int(3),
      ...i % 2 === 0 && {
        squadsLimit: {
          amount: random.amount(1n, 10n ** 12n),
          members: Array.from({ length: random.int(12) }, () => ledger.newAddress()),
          ...[{ period: 3 }, { period: 3 }, { period: random.int(3) }, { period: 3, vault: 1 },
            { period: 3, mint: base.address }][i / 2 % 5]!
        }
      }
    }), null)
  }
  for (let i = 0; i < 60; i++) {
    ledger.advance(random.int(3000))
    // some are never traded
    const { dao, launch } = owns[1 + random.int(owns.length - 4)]!
    const { base, quote } = dao.reserves
    if (base === 0n || dao === owns.find(own => own.dao.base.supply === own.dao.vaults.base)?.dao) continue
    // all of a launched token is somewhere: nobody could sell more
    const side = launch !== null || chance(2) ? 'buy' : 'sell'
    dao.swap(side, random.amount(1n, (side === 'buy' ? quote : base) / 10n))
  }
  for (const { dao, launch } of owns.slice(1)) {
    if (dao.reserves.base < 10n || chance(4)) continue
    if (launch === null && chance(4)) dao.donate(random.amount(0n, 10n ** 6n), random.amount(0n, 10n ** 6n))
    if (dao.base.supply > dao.vaults.base && chance(4)) dao.launchProposal()
  }
  ledger.advance(20)
  return { owns, usdc, priced, pricing }
}

type Market = ReturnType<typeof makeMarket>

/** Every figure of a DAO's treasury and supply, by what the ledger itself has counted. */
function figuresOf (
  { dao, launch, held, liquidity, isBurnt }: Own, { usdc, priced, pricing, owns }: Market, isAll: boolean
) {
  const { base, quote, reserves, state: { totalLiquidity }, identity } = dao
  const usdOf = (mint: Mint): Part | null => mint === usdc
    ? part(1n)
    : mint === priced
      ? part(pricing.reserves.quote * tens(priced.decimals), pricing.reserves.base * tens(usdc.decimals))
      : null
  const all = [
    ...held,
    ...launch === null
      ? []
      : [[launch.mint, launch.treasury!.base], [usdc, launch.treasury!.quote]].map(
          ([mint, account]) => ({ mint: mint as Mint, amount: (account as { amount: bigint }).amount, isKnown: true })
        )
  ].filter(({ isKnown }) => isAll || isKnown)
  const sum = (mint: Mint): bigint => all.reduce((sum, one) => one.mint === mint ? sum + one.amount : sum, 0n)
  const share = (reserve: bigint): bigint => totalLiquidity === 0n ? 0n : liquidity * reserve / totalLiquidity
  const internal = { base: share(reserves.base), quote: share(reserves.quote) }
  const hasPosition = launch !== null && ledgerHas(launch)
  const external = hasPosition ? launch.pool!.owned : null
  const pack = launch?.package ?? null
  const locked = launch === null || launch.version === 'v0.8' || isBurnt
    ? 0n
    : !launch.state.packageInitialized
        ? launch.state.packageAmount
        : pack === null ? 0n : min(pack.state.total - pack.state.unlocked, pack.locked)
  const circulating = base.supply - locked
  const quoteUsd = usdOf(quote)
  const ownQuote = internal.quote + (external?.quote ?? 0n)
  const worth = all.filter(({ mint }) => mint !== base).reduce((sum, { mint, amount }) => {
    const usd = usdOf(mint)
    return usd === null ? sum : plus(sum, times(usd, part(amount, tens(mint.decimals))))
  }, part(0n))
  const nav = quoteUsd === null && ownQuote > 0n
    ? null
    : plus(worth, times(quoteUsd ?? part(0n), part(ownQuote, tens(quote.decimals))))
  const outside = circulating - sum(base) - internal.base - (external?.base ?? 0n)
  const perToken = nav === null || outside <= 0n ? null : by(nav, part(outside, tens(base.decimals)))
  const price = quoteUsd === null || reserves.base === 0n
    ? null
    : times(quoteUsd, part(reserves.quote * tens(base.decimals), reserves.base * tens(quote.decimals)))
  const now = dao.squadsLimit
  const isMonthly = now?.period === 3 && (now.vault ?? 0) === 0 && (now.mint ?? quote.address) === quote.address
  const limit = now === undefined ? identity.spendingLimit : isMonthly ? now : null
  const perMonth = limit === null || quoteUsd === null
    ? null
    : times(quoteUsd, part(limit.amount, tens(quote.decimals)))
  const dollars = part(sum(usdc), tens(6))
  const text = (value: Part | null, of: (value: Part) => string): string | null => value === null ? null : of(value)
  const cap = (raw: bigint): string | null =>
    price === null ? null : rounded(times(price, part(raw, tens(base.decimals))), 2)
  const pools = launch === null
    ? owns.filter(own => own.dao.base === base).reduce((sum, { dao }) => sum + dao.vaults.base, 0n)
    : dao.vaults.base
  return {
    tokens: all.filter(({ amount }) => amount > 0n),
    treasury: {
      dao: dao.address,
      treasury_vault_address: identity.vault,
      treasury_usdc_aum: units(sum(usdc), 6),
      own_tokens: units(sum(base), base.decimals),
      internal_liquidity: {
        base: units(internal.base, base.decimals),
        quote: units(internal.quote, quote.decimals),
        in_proposal: dao.proposalLive
      },
      external_liquidity: external === null
        ? null
        : { base: units(external.base, 6), quote: units(external.quote, 6), position: launch!.addresses.position },
      nav_usd: text(nav, value => rounded(value, 2)),
      circulating_supply: units(circulating, base.decimals),
      nav_per_token: text(perToken, priceOf),
      price_usd: text(price, priceOf),
      premium: price === null || perToken === null || perToken.n === 0n
        ? null
        : rounded(plus(by(price, perToken), part(-1n)), 4),
      spending_limit: limit === null
        ? null
        : { amount_per_month: units(limit.amount, quote.decimals), members: limit.members },
      runway_months: text(perMonth, value => rounded(by(dollars, value), 2))
    },
    caps: { market_cap_usd: cap(circulating), fdv_usd: cap(base.supply) },
    supply: {
      totalSupply: units(base.supply, base.decimals),
      circulatingSupply: units(circulating, base.decimals),
      teamPerformancePackage: units(locked, base.decimals),
      protocolAmmLiquidity: units(pools, base.decimals),
      externalLpLiquidity: units(external?.base ?? 0n, base.decimals),
      rawTotalSupply: String(base.supply),
      max_supply: base.mintAuthority === null ? units(base.supply, base.decimals) : null,
      mint_authority: base.mintAuthority
    },
    parts: { locked, pools, external: external?.base ?? 0n, treasury: sum(base), outside, nav }
  }
}
const min = (a: bigint, b: bigint): bigint => a < b ? a : b
const ledgerHas = ({ pool }: Launch): boolean => pool!.liquidity > 0n

for (const seed of [1, 2, 3]) {
  test(`supplies and treasuries of a random market are the ledger's own count, seed ${seed}`, async t => {
    const { ledger, node } = await startChain(t, { seed })
    const market = makeMarket(ledger, createRandom(seed))
    const { owns, priced, pricing } = market
    const app = await build(t, {
      env: settings(t, node, ledger, {
        RATE_LIMIT_MAX: '100000', USD_PRICED_MINTS: `${priced.address}:${pricing.address}`
      }),
      now: () => ledger.time * 1000,
      pollMs: 20
    })
    await historyComplete(app)
    const get = getterOf(app)
    const [rows, pools] = [await get<Treasuries>('/api/treasuries'), await get<Pool[]>('/api/pools')]
    const seen = { capped: 0, unpriced: 0, none: 0, external: 0, locked: 0 }
    for (const own of owns) {
      const { dao, launch } = own
      const record = await get<DaoRecord>(`/api/daos/${dao.address}`)
      const { tokens, treasury, caps, supply, parts } = figuresOf(own, market, true)
      t.match(record.treasury, treasury)
      t.match(record, caps)
      t.match(record.supply, supply)
      const { symbol: _, slot: __, ...told } = await get<Treasury>(`/api/daos/${dao.address}/treasury`)
      t.match(told, treasury)
      t.equal(told.tokens_complete, true)
      // the token that a position in the external pool belongs to is held, too
      const rest = told.tokens.filter(({ mint }) => mint !== launch?.addresses.positionNftMint)
      t.same(
        rest.map(({ mint, amount }) => `${mint} ${amount}`).sort(),
        tokens.map(({ mint, amount }) => `${mint.address} ${units(amount, mint.decimals)}`).sort()
      )
      for (const { address, mint, amount } of rest) {
        const data = ledger.account(address)!.data
        const { decimals } = tokens.find(one => one.mint.address === mint)!.mint
        t.equal(amount, units(data.readBigUInt64LE(64), decimals), 'what lies there')
      }
      // each part is where it is said to be, and all of them are no more than there is
      const { allocation } = record.supply
      const raw = (text: string): bigint => {
        const [whole = '', fraction = ''] = text.split('.')
        return BigInt(whole + fraction.padEnd(dao.base.decimals, '0'))
      }
      const sums = new Map<string, bigint>()
      for (const { address, amount } of allocation) sums.set(address, (sums.get(address) ?? 0n) + raw(amount))
      for (const [address, amount] of sums) {
        const isPosition = address === launch?.addresses.position
        t.equal(amount, isPosition ? parts.external : ledger.account(address)!.data.readBigUInt64LE(64), address)
      }
      const of = (...kinds: string[]): bigint => allocation.reduce((sum, { kind, amount }) =>
        kinds.includes(kind) ? sum + raw(amount) : sum, 0n)
      t.same(
        [of('team_package'), of('internal_pool'), of('external_pool'), of('treasury'), of('bid_wall')],
        [parts.locked, parts.pools, parts.external, parts.treasury, own.wall]
      )
      t.ok([...sums.values()].reduce((sum, one) => sum + one, 0n) <= dao.base.supply)
      t.ok(allocation.every(({ kind, circulating }) => circulating === (kind !== 'team_package')))
      const listed = figuresOf(own, market, false)
      const row = rows.find(one => one.dao === dao.address)
      if (row !== undefined) t.match(row, listed.treasury)
      const pool = pools.find(({ pool_id: id }) => id === dao.address)
      t.equal(pool === undefined, dao.reserves.base === 0n)
      t.equal(row === undefined, pool === undefined, 'each pool\'s treasury is listed')
      if (pool !== undefined) {
        t.match(pool, {
          ...listed.caps,
          treasury_usdc_aum: listed.treasury.treasury_usdc_aum,
          treasury_vault_address: dao.identity.vault
        })
      }
      if (caps.market_cap_usd !== null) seen.capped++
      if (treasury.nav_usd === null) seen.unpriced++
      if (parts.outside <= 0n) seen.none++
      if (parts.external > 0n) seen.external++
      if (parts.locked > 0n) seen.locked++
    }
    t.ok(Object.values(seen).every(count => count > 0), JSON.stringify(seen))
    const navs = owns.filter(({ dao }) => dao.reserves.base > 0n).map(own => figuresOf(own, market, false))
      .sort((a, b) => {
        const [one, other] = [a.parts.nav, b.parts.nav]
        const order = one === null || other === null
          ? Number(one === null) - Number(other === null)
          : Number(other.n * one.d - one.n * other.d > 0n) - Number(other.n * one.d - one.n * other.d < 0n)
        return order !== 0 ? order : a.treasury.dao < b.treasury.dao ? -1 : 1
      })
    t.same(rows.map(({ dao }) => dao), navs.map(({ treasury }) => treasury.dao), 'largest first')
  })
}

test('the limit of a multisig that is not the one of the DAO is none of its own; ' +
  'a damaged one is not served', async t => {
  const { ledger, node } = await startChain(t)
  const squadsLimit = { amount: 7_000_000n, period: 3, members: [ledger.newAddress()] }
  const make = (of?: SquadsLimit) => ledger.dao({
    base: ledger.mint({}),
    quote: ledger.usdc(),
    baseReserves: 10n ** 9n,
    quoteReserves: 10n ** 9n,
    spendingMembers: 1,
    ...of && { squadsLimit: of }
  })
  const [own, other, damaged] = [make(squadsLimit), make(squadsLimit), make()]
  other.identity.multisig = ledger.newAddress()
  const data = writeSquadsLimit(damaged.identity, squadsLimit).subarray(0, 140)
  ledger.setAccount(squadsLimitAddress(damaged.identity), { owner: PROGRAMS.squads, data })
  ledger.advance(20)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const get = getterOf(app)
  const limitOf = async ({ address }: Dao) => (await get<Treasury>(`/api/daos/${address}/treasury`)).spending_limit
  t.same(await limitOf(own), { amount_per_month: '7', members: squadsLimit.members })
  t.same(await limitOf(other), { amount_per_month: '50000', members: other.identity.spendingLimit!.members })
  t.equal((await app.inject(`/api/daos/${damaged.address}/treasury`)).statusCode, 500)
})

test('where the accounts of every DAO are wrong there is no list of treasuries, ' +
  'and pools without what they tell', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint({}), quote: ledger.usdc(), baseReserves: 10n ** 9n, quoteReserves: 10n ** 9n }
  )
  ledger.setAccount(squadsLimitAddress(dao.identity), { owner: PROGRAMS.squads, data: Buffer.alloc(140, 7) })
  ledger.advance(20)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  t.equal((await app.inject('/api/treasuries')).statusCode, 500)
  t.match((await app.inject('/api/pools')).json(), [{ pool_id: dao.address, market_cap_usd: null }])
})

test('a dollar that no DAO trades counts in the lists as it does in the treasury of its holder', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const other = ledger.mint({ symbol: 'USDT', decimals: 6 })
  const newer = ledger.mint({ symbol: 'PYUSD', decimals: 6, program: 'token-2022' })
  const dao = ledger.dao({ base: ledger.mint({}), quote: usdc, baseReserves: 10n ** 9n, quoteReserves: 10n ** 9n })
  createTokenAccount(ledger.accounts, dao.identity.vault, other, 7_000_000n)
  createTokenAccount(ledger.accounts, dao.identity.vault, newer, 5_000_000n)
  ledger.advance(20)
  const app = await build(t, {
    env: settings(t, node, ledger, { USD_MINTS: `${usdc.address},${other.address},${newer.address}` }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const get = getterOf(app)
  const { tokens, ...own } = await get<Treasury>(`/api/daos/${dao.address}/treasury`)
  t.match(own, { treasury_usdc_aum: '12', tokens_complete: true })
  t.match(tokens.find(({ mint }) => mint === other.address), { symbol: 'USDT', amount: '7', usd: '7.00' })
  t.match(tokens.find(({ mint }) => mint === newer.address), { symbol: 'PYUSD', amount: '5', usd: '5.00' })
  t.same(await get<Treasuries>('/api/treasuries'), [{ ...own, tokens_complete: false }], 'whose vaults are not listed')
  t.match(await get<Pool[]>('/api/pools'), [{ treasury_usdc_aum: '12' }])
})

test('on the page a premium is of the price beside it, though the treasuries were read before', async t => {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint({}), quote: ledger.usdc(), baseReserves: 10n ** 9n, quoteReserves: 10n ** 9n }
  )
  ledger.advance(20)
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const get = getterOf(app)
  const [before] = await get<Treasuries>('/api/treasuries')
  ledger.advance(9)
  dao.swap('buy', 10n ** 8n)
  const { pools: [row] } = await get<{ pools: Row[] }>('/market/pools')
  t.ok(Number(row!.last_price) > 1.1 * Number(before!.price_usd))
  t.equal(row!.nav_per_token, before!.nav_per_token)
  t.ok(Math.abs(Number(row!.premium) - (Number(row!.last_price) / Number(row!.nav_per_token) - 1)) < 1e-4)
})
