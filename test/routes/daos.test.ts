import { test } from 'tap'
import type { DaoRecord } from '../../schemas/dao.js'
import type { Pool } from '../../schemas/pools.js'
import type { Treasuries, Treasury } from '../../schemas/treasury.js'
import { createTokenAccount } from '../../simulator/mint.js'
import { allOfNow, build, headReached, historyComplete, settings, startChain, until } from '../helper.js'
import { getterOf } from '../support/answers.js'
import { INVALID_DAO } from '../../schemas/errors.js'

const DOLLAR = 1_000_000n

test('DAOs and their treasuries are what the ledger counts itself', async t => {
  const { ledger, node } = await startChain(t)
  const usdc = ledger.usdc()
  const launches = (['v0.6', 'v0.7', 'v0.8'] as const).map((version, i) => ledger.launch({
    version,
    mint: { symbol: `L${i}`, name: `Launch ${i}` },
    raise: BigInt(i + 1) * 3_333_333n * DOLLAR,
    packageAmount: 5_000_000_000_007n,
    additional: 1_000_000_000_000n,
    spendingMembers: i
  }))
  const made = launches.map(launch => launch.complete())
  launches[0]!.pool!.setSqrtPrice(launches[0]!.pool!.range.price * 5n / 4n)
  launches[1]!.pool!.addOtherLiquidity(10n ** 20n)
  const plain = ledger.dao({
    base: ledger.mint({ symbol: 'PLAIN', decimals: 9, supply: 10n ** 18n }),
    quote: usdc,
    baseReserves: 10n ** 15n,
    quoteReserves: 10n ** 12n,
    spendingMembers: 3
  })
  const squatter = ledger.dao(
    { base: launches[0]!.mint, quote: usdc, baseReserves: 10n ** 9n, quoteReserves: 10n ** 8n }
  )
  const fake = ledger.mint({ symbol: 'USDC', name: 'USD Coin' })
  const odd = ledger.mint({ symbol: 'ODD', decimals: 3, program: 'token-2022' })
  const { vault } = made[0]!.identity
  createTokenAccount(ledger.accounts, vault, fake, 10n ** 15n)
  createTokenAccount(ledger.accounts, vault, odd, 77_777n)
  const apart = createTokenAccount(ledger.accounts, vault, usdc, 1_234_567n, ledger.mint().address.replace(/.$/, '1'))
  createTokenAccount(ledger.accounts, ledger.mint().address, usdc, 10n ** 12n)
  createTokenAccount(ledger.accounts, plain.identity.vault, usdc, 900_000n * DOLLAR)
  createTokenAccount(ledger.accounts, plain.identity.vault, plain.base, 5n * 10n ** 9n)
  for (let i = 0n; i < 60n; i++) {
    ledger.advance(3000)
    for (const dao of [...made, plain, squatter]) dao.swap(i % 3n === 0n ? 'sell' : 'buy', 1_000_003n * (i + 1n))
  }
  const app = await build(t, {
    bounds: { delay: 60_000 },
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }),
    now: () => ledger.time * 1000,
    pollMs: 20
  })
  await historyComplete(app)
  const get = getterOf(app)
  const units = (text: string, decimals = 6) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(decimals, '0'))
  }
  const near = (
    text: string | null, value: number, digits = 1e-9
  ) => text !== null && Math.abs(Number(text) - value) <= Math.abs(value) * digits + 0.006

  await t.test('each, by its parts', async t => {
    for (const [i, launch] of launches.entries()) {
      const dao = made[i]!
      const record = await get<DaoRecord>(`/api/daos/${dao.address}`)
      const { treasury, supply } = record
      const dollars = launch.treasury!.quote.amount + (i === 0 ? apart.amount : 0n)
      const locked = launch.version === 'v0.8' ? 0n : 5_000_000_000_007n
      const owned = launch.pool!.owned
      // the launch provided all of the internal pool's liquidity
      const { reserves } = dao
      const price = Number(reserves.quote) / Number(reserves.base)
      const circulating = launch.mint.supply - locked
      const nav = Number(dollars + reserves.quote + owned.quote) / 1e6
      const outside = Number(circulating - launch.treasury!.base.amount - reserves.base - owned.base) / 1e6
      t.equal(units(treasury.treasury_usdc_aum), dollars)
      t.equal(treasury.treasury_vault_address, dao.identity.vault)
      t.same(
        [units(treasury.internal_liquidity.base), units(treasury.internal_liquidity.quote)],
        [reserves.base, reserves.quote]
      )
      t.same(
        [units(treasury.external_liquidity!.base), units(treasury.external_liquidity!.quote)], [owned.base, owned.quote]
      )
      t.equal(units(treasury.circulating_supply), circulating)
      t.ok(near(treasury.nav_usd, nav), `${treasury.nav_usd} is ${nav}`)
      t.ok(Math.abs(Number(treasury.nav_per_token) / (nav / outside) - 1) < 1e-9)
      t.ok(Math.abs(Number(treasury.premium) - (price / (nav / outside) - 1)) < 1e-4)
      t.ok(i === 0
        ? treasury.runway_months === null
        : near(treasury.runway_months, Number(dollars) / Number(dao.identity.spendingLimit!.amount)))
      t.ok(near(record.market_cap_usd, Number(circulating) / 1e6 * price) && near(
        record.fdv_usd, Number(launch.mint.supply) / 1e6 * price
      ))
      t.equal(treasury.tokens_complete, true)
      const isAll = (kind: string) => supply.allocation.filter(part => part.kind === kind).map(
        ({ address, amount, circulating }) => [address, units(amount), circulating]
      )
      t.same(isAll('internal_pool'), [[dao.identity.baseVault, dao.vaults.base, true]])
      t.same(isAll('external_pool'), [[launch.addresses.position, owned.base, true]])
      t.same(
        isAll('launch_vault').map(([address, amount]) => [address, amount]),
        [[launch.addresses.baseVault, launch.unclaimed - (launch.version === 'v0.7' ? locked : 0n)]]
      )
      if (locked > 0n) {
        t.same(
          isAll('team_package'),
          [[launch.version === 'v0.7' ? launch.addresses.baseVault : launch.addresses.packageVault, locked, false]]
        )
      }
      t.match(record, {
        listed: true,
        symbol: `L${i}`,
        launch: { address: launch.addresses.launch, launchpad: launch.version },
        multisig: dao.identity.multisig,
        startDate: /^\d{4}/
      })
      t.same([supply.max_supply, supply.mint_authority], [null, launch.mint.mintAuthority])
      const swaps = ledger.swaps.filter(swap => swap.dao === dao.address).map(
        ({ side, input, output }) => side === 'buy' ? Number(input) / Number(output) : Number(output) / Number(input)
      )
      t.ok(Math.abs(Number(record.ath!.price) / Math.max(...swaps) - 1) < 1e-9 && Math.abs(
        Number(record.atl!.price) / Math.min(...swaps) - 1
      ) < 1e-9)
    }
  })

  await t.test('what strangers send is seen and worth nothing', async t => {
    const { tokens } = await get<Treasury>(`/api/daos/${made[0]!.address}/treasury`)
    t.match(tokens.find(({ mint }) => mint === fake.address), { symbol: 'USDC', amount: '1000000000', usd: null })
    t.match(tokens.find(({ mint }) => mint === odd.address), { symbol: 'ODD', amount: '77.777', usd: null })
    t.equal(tokens.filter(({ mint }) => mint === usdc.address).length, 2, 'each account')
    t.equal(tokens[0]!.mint, usdc.address)
  })

  await t.test('a DAO of no launch, by its address and by its mint', async t => {
    const record = await get<DaoRecord>(`/api/daos/${plain.address}`)
    t.same(await get(`/api/daos/${plain.base.address}`), record)
    t.match(record, {
      launch: null,
      treasury: { treasury_usdc_aum: '900000', own_tokens: '5', external_liquidity: null },
      supply: { max_supply: '1000000000', mint_authority: null }
    })
    const other = await get<DaoRecord>(`/api/daos/${squatter.address}`)
    t.same(
      [other.launch, other.treasury.external_liquidity === null],
      [null, true],
      'the launch is another DAO\'s, and so is its position'
    )
  })

  await t.test('lists', async t => {
    const rows = await get<Treasuries>('/api/treasuries')
    t.equal(rows.length, 5)
    t.same(
      rows.map(({ nav_usd: nav }) => Number(nav)), rows.map(({ nav_usd: nav }) => Number(nav)).sort((a, b) => b - a)
    )
    const pools = await get<Pool[]>('/api/pools')
    for (const [i, dao] of [...made, plain].entries()) {
      const [pool, record] = [
        pools.find(({ pool_id: id }) => id === dao.address)!, await get<DaoRecord>(`/api/daos/${dao.address}`)
      ]
      t.same(
        [pool.market_cap_usd, pool.fdv_usd, pool.treasury_vault_address],
        [record.market_cap_usd, record.fdv_usd, record.treasury.treasury_vault_address]
      )
      t.equal(
        pool.treasury_usdc_aum === record.treasury.treasury_usdc_aum,
        i !== 0,
        'the list has what lies in associated accounts'
      )
    }
  })

  await t.test('one call reads it again, however many ask', async t => {
    ledger.advance(11)
    await app.inject('/api/tickers')
    await get(`/api/daos/${made[2]!.address}/treasury`)
    ledger.advance(15)
    await app.inject('/api/tickers')
    node.reset()
    await Promise.all(Array.from({ length: 20 }, () => get(`/api/daos/${made[2]!.address}/treasury`)))
    t.ok((node.calls.getMultipleAccounts ?? 0) <= 1, `${node.calls.getMultipleAccounts} calls`)
  })

  await t.test('figures that stand together are of one price, though others were read before a trade', async t => {
    const whole = Number(plain.base.supply) / 1e9
    const poolNow = async () => (await get<Pool[]>('/api/pools')).find(({ pool_id: id }) => id === plain.address)!
    ledger.advance(30)
    await headReached(app, ledger, ledger.time - 15)
    await get('/api/treasuries')
    await poolNow()
    plain.swap('buy', 10n ** 11n)
    ledger.advance(1)
    const record = await get<DaoRecord>(`/api/daos/${plain.address}`)
    t.equal(record.last_price, record.price_usd)
    t.equal(units(record.liquidity_in_usd!, 2), (2n * plain.reserves.quote + 5_000n) / 10_000n)
    ledger.advance(11)
    await get('/api/treasuries')
    plain.swap('buy', 10n ** 11n)
    ledger.advance(9)
    const pool = await poolNow()
    t.ok(near(pool.last_price, Number(plain.reserves.quote) * 1e3 / Number(plain.reserves.base)))
    t.ok(near(pool.market_cap_usd, whole * Number(pool.last_price)), `${pool.market_cap_usd} at ${pool.last_price}`)
  })

  await t.test('a new DAO that is listed has its price before its events are final', async t => {
    ledger.advance(11)
    node.conditions.finalizedAt = ledger.slot
    ledger.advance(1)
    const young = ledger.dao({
      base: ledger.mint({ symbol: 'YOUNG' }), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 10n
    })
    young.swap('buy', 10n ** 8n)
    ledger.advance(2)
    const record = await get<DaoRecord>(`/api/daos/${young.address}`)
    const liquidity = Number(2n * young.reserves.quote) / 1e6
    t.match(record, { listed: true, created_at: null, price_change_24h: null, last_price: record.price_usd! })
    t.ok(near(record.liquidity_in_usd, liquidity), `${record.liquidity_in_usd} is ${liquidity}`)
    node.conditions.finalizedAt = null
    ledger.advance(30)
    await headReached(app, ledger, ledger.time)
    // what is being read when the clock leaps is as old as the leap
    await get('/api/treasuries')
  })

  await t.test('a DAO that is not listed for a trade that no node lists has the price of its account', async t => {
    ledger.advance(11)
    node.faults.set({ kind: 'hole', value: [ledger.time, ledger.time] })
    plain.swap('buy', 10n ** 10n)
    ledger.advance(30)
    plain.swap('buy', 10n ** 10n)
    await headReached(app, ledger, ledger.time)
    await until('the gap shows', () => app.history.report().get(plain.address)!.missingEvents === 1n)
    ledger.advance(11)
    const record = await get<DaoRecord>(`/api/daos/${plain.address}`)
    t.match(record, { listed: false, reason: 'history incomplete', price_change_24h: null })
    t.ok(near(record.last_price!, Number(plain.reserves.quote) * 1e3 / Number(plain.reserves.base)))
    t.equal(record.last_price, record.price_usd)
    t.ok(near(record.liquidity_in_usd!, Number(2n * plain.reserves.quote) / 1e6))
    node.faults.clear()
    ledger.advance(60)
    await until('it is found', () => {
      ledger.advance(0.2)   // a search that was under way may have ended in vain since
      return app.history.report().get(plain.address)!.missingEvents === 0n
    })
    await headReached(app, ledger, ledger.time)
  })

  await t.test('where what lists token accounts is older than what reads them', async t => {
    for (const seconds of [5, 400]) {
      ledger.advance(70)
      await allOfNow(app, ledger)
      node.faults.set({ kind: 'jump-back', method: 'getTokenAccountsByOwner', value: seconds })
      const told = await get<Treasury>(`/api/daos/${made[0]!.address}/treasury`)
      t.equal(told.tokens_complete, seconds === 5)
      node.faults.clear()
    }
  })

  await t.test('where no node lists token accounts', async t => {
    node.conditions.lacks = ['getTokenAccountsByOwner']
    ledger.advance(70)
    await allOfNow(app, ledger)
    const told = await get<Treasury>(`/api/daos/${made[0]!.address}/treasury`)
    t.equal(told.tokens_complete, false)
    t.same(told.tokens.map(({ mint }) => mint), [usdc.address])
    t.equal(units(told.treasury_usdc_aum), launches[0]!.treasury!.quote.amount)
  })

  await t.test('while a proposal is live what it holds back is not counted', async t => {
    plain.launchProposal()
    ledger.advance(20)
    const told = await get<Treasury>(`/api/daos/${plain.address}/treasury`)
    t.equal(told.internal_liquidity.in_proposal, true)
    t.ok(units(told.internal_liquidity.quote) <= plain.reserves.quote)
  })

  await t.test('what is asked wrongly is said', async t => {
    for (const path of ['', '/treasury']) {
      for (const [id, status, error] of [
        ['nonsense', 400, INVALID_DAO], [usdc.address, 404, `DAO not found: ${usdc.address}`],
        [launches[0]!.mint.address, 404, `DAO not found: ${launches[0]!.mint.address}`]
      ] as const) {
        const answer = await app.inject(`/api/daos/${id}${path}`)
        t.same([answer.statusCode, answer.json()], [status, { error }])
      }
      t.equal((await app.inject(`/api/daos/${plain.address}${path}?x=1`)).statusCode, 400)
    }
    t.equal((await app.inject('/api/treasuries?limit=3')).statusCode, 400)
  })
})
