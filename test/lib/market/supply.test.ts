import { test } from 'tap'
import { type AllocatedPart, lockedTeamTokens, supplyRecord } from '../../../lib/market/supply.js'

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

const MINT = { address: 'm', supply: 10n, decimals: 0 }
const LOCKED = ['team_package']
const partsOf = (amounts: Partial<Record<AllocatedPart['kind'], bigint>>): AllocatedPart[] =>
  Object.entries(amounts).map(([kind, amount]) =>
    ({ kind: kind as AllocatedPart['kind'], address: kind, amount, circulating: !LOCKED.includes(kind) }))

test('spec 2.2: circulating supply is total minus team package, and both liquidities circulate', async t => {
  t.same(supplyRecord({ address: 'm', supply: 25_800_000_000_001n, decimals: 6 }, partsOf({
    team_package: 12_900_000_000_000n, internal_pool: 2_000_000_500_000n, external_pool: 1n
  })), {
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

test('what nobody has claimed does not circulate, and is no part of the team package', async t => {
  t.match(supplyRecord(MINT, [
    ...partsOf({ team_package: 2n }), { kind: 'launch_vault', address: 'v', amount: 3n, circulating: false }
  ]), { circulatingSupply: '5', teamPerformancePackage: '2' })
})

test('a part may be the whole, but one larger than the whole is no answer', async t => {
  t.match(
    supplyRecord(MINT, partsOf({ team_package: 10n, internal_pool: 10n, external_pool: 10n })),
    { circulatingSupply: '0', protocolAmmLiquidity: '10' }
  )
  for (const kind of ['team_package', 'internal_pool', 'external_pool'] as const) {
    t.throws(() => supplyRecord(MINT, partsOf({ [kind]: 11n })), { code: 'NODE_BAD_ANSWER' }, kind)
  }
})
