import t from 'tap'
import { keyBytes } from '../../simulator/bytes.js'
import { PROGRAMS, createLedger } from '../../simulator/index.js'
import { eventsOf, u128, u64 } from '../support/transaction-events.js'
import { baseOf, launchLiquidity, launchSqrtPrice, MAX_SQRT_PRICE, quoteOf } from '../../simulator/pool.js'

const MILLION = 1_000_000_000_000n

t.test('the external pool at launch, and as the price rises', async t => {
  for (const [raise, price, liquidity, now, doubled, twice, quadrupled] of [
    [
      1_000_000_000_000n, 5833372668713516032n, 5250035401842164428800000000000n, 899999999933n, 8249634742471189504n,
      [636396103001n, 37279220613n], [449999999933n, 90000000000n]
    ],
    [
      3_500_000_000_000n, 10913240967848572928n, 9821916871063715635200000000000n, 899999999876n, 15433653386177134592n,
      [636396102943n, 130477272147n], [449999999876n, 314999999999n]
    ],
    [
      8_000_000_000_000n, 16499269484942379008n, 14849342536448141107200000000000n, 899999999812n,
      23333490674854064128n, [636396102880n, 298233764908n], [449999999812n, 719999999999n]
    ]
  ] as const) {
    t.equal(launchSqrtPrice(raise), price)
    t.equal(launchLiquidity(price), liquidity)
    const range = { min: price, max: MAX_SQRT_PRICE, price }
    t.same([baseOf(liquidity, range), baseOf(liquidity, range, true), quoteOf(liquidity, range)], [now, now + 1n, 0n])
    for (const [at, amounts] of [[doubled, twice], [price * 2n, quadrupled]] as const) {
      t.same([baseOf(liquidity, { ...range, price: at }), quoteOf(liquidity, { ...range, price: at })], amounts)
    }
  }
})

t.test('a launch ends in a DAO, its liquidity, a treasury and a pool', async t => {
  for (const version of ['v0.6', 'v0.7', 'v0.8'] as const) {
    const ledger = createLedger()
    const launch = ledger.launch(
      { version, raise: MILLION, packageAmount: 7_600_000_000_003n, additional: 5_125_000_000_000n, spendingMembers: 2 }
    )
    const additional = version === 'v0.6' ? 0n : 5_125_000_000_000n
    const minted = 12_900_000_000_000n + 7_600_000_000_003n + additional
    t.equal(launch.mint.supply, version === 'v0.8' ? 0n : minted)
    t.equal(launch.unclaimed, launch.mint.supply)
    const { addresses } = launch
    t.same([ledger.account(addresses.launch)!.owner, ledger.account(addresses.dao)], [PROGRAMS[version], null])

    ledger.advance(100)
    const dao = launch.complete()
    t.equal(dao.address, addresses.dao)
    t.same(dao.reserves, { base: 2_000_000_000_000n, quote: MILLION / 5n })
    t.equal(dao.state.totalLiquidity, MILLION / 5n * 10n ** 9n)
    t.equal(launch.mint.supply, version === 'v0.8' ? 12_900_000_000_000n + additional : minted)
    t.equal(launch.treasury!.quote.amount, MILLION - MILLION / 5n)
    t.same(launch.pool!.owned, { base: 899_999_999_933n, quote: 0n })
    t.same(
      eventsOf(ledger).map(event => [event.subarray(8, 16).toString('hex'), u64(event, 32)]),
      [['773099747f25e2e4', 1n], ['260225eee5d6ffeb', 2n]],
      'both events, below the launchpad'
    )
    t.equal(launch.unclaimed, 10_000_000_000_000n + additional + (version === 'v0.7' ? 7_600_000_000_003n : 0n))
    t.equal(ledger.account(addresses.packageVault) === null, version !== 'v0.6')
    const package_ = ledger.account(addresses.package)
    t.equal(package_?.owner, { 'v0.6': PROGRAMS.pricePackage, 'v0.7': undefined, 'v0.8': PROGRAMS.packageV2 }[version])
    if (version === 'v0.6') t.equal(package_!.data.length, 520)

    if (version === 'v0.7') launch.initializePackage()
    else t.throws(() => launch.initializePackage())
    t.equal(launch.unclaimed, 10_000_000_000_000n + additional)
    const before = launch.mint.supply
    t.equal(launch.unlock(2), 2n * 1_520_000_000_000n)
    const locked = version === 'v0.8' ? 0n : 7_600_000_000_003n - 3_040_000_000_000n
    t.same(
      [launch.package!.locked, launch.mint.supply - before], [locked, version === 'v0.8' ? 3_040_000_000_000n : 0n]
    )
    const unlocked = launch.mint.supply
    t.equal(launch.burnPackage(), locked)
    t.equal(launch.mint.supply, unlocked - locked)
    t.same([ledger.account(addresses.package), ledger.account(addresses.packageVault)], [null, null])
  }
})

t.test('the launch account of each version: state, DAO and package where the version has them', async t => {
  const at = (version: 'v0.6' | 'v0.7' | 'v0.8', spendingMembers: number) => {
    const ledger = createLedger()
    const launch = ledger.launch({ version, raise: MILLION, packageAmount: 10n, spendingMembers })
    const live = ledger.account(launch.addresses.launch)!.data
    launch.complete()
    return { launch, live, done: ledger.account(launch.addresses.launch)!.data }
  }
  for (const members of [0, 3, 10]) {
    // Fields before the state: fixed ones, the members, one present time, one absent.
    const start = 8 + 17 + 4 + members * 32 + 65 + 128 + 9
    const older = at('v0.6', members)
    t.same([older.live[start], older.live[start + 9], older.live[start + 10]], [0, 0, 1], 'no final raise, live')
    t.same(
      [older.done[start], older.done[start + 17], u64(older.done, start + 18), older.done[start + 26]],
      [1, 1, MILLION, 3],
      'final raise, complete'
    )
    t.same(older.done.subarray(start + 40, start + 72), keyBytes(older.launch.addresses.dao))
    const newer = at('v0.7', members)
    t.same([newer.live[start + 9], newer.done[start + 17]], [1, 3], 'without the final raise')
    t.same(newer.done.subarray(start + 31, start + 63), keyBytes(newer.launch.addresses.dao))
    t.same(u64(newer.done, start + 128), 10n, 'the team\'s amount')
  }
})

t.test('the pool goes its way: others join, prices move, the DAO withdraws and leaves', async t => {
  const ledger = createLedger()
  const launch = ledger.launch({ version: 'v0.7', raise: MILLION, packageAmount: 0n })
  launch.complete()
  const pool = launch.pool!
  const data = () => ledger.account(launch.addresses.pool)!.data
  t.same(
    [data().length, u64(data(), 8), u128(data(), 360), u128(data(), 424), u128(data(), 456)],
    [1112, 5_000_000n, pool.liquidity, 5833372668713516032n, 5833372668713516032n]
  )
  t.same(data().subarray(648, 680), keyBytes(launch.addresses.daoVault))
  const position = ledger.account(launch.addresses.position)!.data
  t.same(
    [position.length, u128(position, 152), position.subarray(8, 40)],
    [408, pool.liquidity, keyBytes(launch.addresses.pool)]
  )
  const nft = ledger.account(launch.addresses.positionNftAccount)!
  t.same(
    [nft.owner, nft.data.subarray(32, 64), u64(nft.data, 64)],
    [PROGRAMS.token2022, keyBytes(launch.addresses.daoVault), 1n]
  )

  const alone = pool.owned
  pool.addOtherLiquidity(pool.liquidity * 3n)
  t.same(pool.owned, alone)
  t.ok(pool.vaults.base > 4n * alone.base)
  t.equal(u128(data(), 360), pool.liquidity * 4n)
  pool.setSqrtPrice(8249634742471189504n)
  t.same(pool.owned, { base: 636396103001n, quote: 37279220613n })
  t.throws(() => pool.setSqrtPrice(1n))
  const withdrawn = pool.withdraw(0.9)
  t.same(launch.treasury!.base.amount, withdrawn.base)
  pool.closePosition()
  t.same(
    [pool.liquidity, ledger.account(launch.addresses.position), ledger.account(launch.addresses.positionNftAccount)],
    [0n, null, null]
  )
})

t.test('claims, and an older account', async t => {
  const ledger = createLedger()
  const launch = ledger.launch(
    { version: 'v0.7', raise: MILLION, packageAmount: 1n, additional: 7n, olderLayout: true }
  )
  launch.complete()
  launch.claim(10_000_000_000_000n)
  launch.claimAdditional()
  t.equal(launch.unclaimed, 1n)
  const newer = ledger.launch({ version: 'v0.7', raise: MILLION, packageAmount: 1n })
  t.equal(
    ledger.account(newer.addresses.launch)!.data.length - ledger.account(launch.addresses.launch)!.data.length, 5
  )
})
