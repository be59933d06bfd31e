import { test } from 'tap'
import { lockedTeamTokens, supplyRecord } from '../../../lib/market/supply.js'

test('spec 2.2: team tokens that are locked', async t => {
  const launch = { complete: true, packageAmount: 100n, packageInitialized: true }
  const team = { total: 100n, unlocked: 40n }
  t.equal(lockedTeamTokens(launch, team, 60n), 60n)
  t.equal(lockedTeamTokens(launch, team, 1_000n), 60n, 'a donation to the vault locks nothing')
  t.equal(lockedTeamTokens(launch, team, 10n), 10n, 'what has left the vault is not locked')
  t.equal(lockedTeamTokens(launch, null, 0n), 0n, 'burned and closed')
  const uninitialized = { ...launch, packageInitialized: false }
  t.equal(lockedTeamTokens(uninitialized, null, 0n), 100n, 'between completion and initialisation')
  t.equal(lockedTeamTokens({ ...uninitialized, complete: false }, null, 0n), 0n, 'before completion')
})

test('spec 2.2: circulating supply is total minus team package, and both liquidities circulate', async t => {
  t.same(supplyRecord({
    mint: 'm',
    supply: 25_800_000_000_001n,
    decimals: 6,
    teamPackage: 12_900_000_000_000n,
    unclaimed: 0n,
    ammLiquidity: 2_000_000_500_000n,
    externalLiquidity: 1n
  }), {
    mint: 'm',
    totalSupply: '25800000.000001',
    circulatingSupply: '12900000.000001',
    teamPerformancePackage: '12900000',
    protocolAmmLiquidity: '2000000.5',
    externalLpLiquidity: '0.000001',
    decimals: 6,
    rawTotalSupply: '25800000000001'
  })
})

test('a part may be the whole, but one larger than the whole is no answer', async t => {
  t.match(supplyRecord(
    { mint: 'm', supply: 10n, decimals: 0, teamPackage: 10n, unclaimed: 0n, ammLiquidity: 10n, externalLiquidity: 10n }
  ), { circulatingSupply: '0', protocolAmmLiquidity: '10' })
  t.throws(() => supplyRecord(
    { mint: 'm', supply: 10n, decimals: 0, teamPackage: 11n, unclaimed: 0n, ammLiquidity: 0n, externalLiquidity: 0n }
  ), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => supplyRecord(
    { mint: 'm', supply: 10n, decimals: 0, teamPackage: 0n, unclaimed: 0n, ammLiquidity: 11n, externalLiquidity: 0n }
  ), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => supplyRecord(
    { mint: 'm', supply: 10n, decimals: 0, teamPackage: 0n, unclaimed: 0n, ammLiquidity: 0n, externalLiquidity: 11n }
  ), { code: 'NODE_BAD_ANSWER' })
})
