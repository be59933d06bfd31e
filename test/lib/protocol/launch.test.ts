import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'tap'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeLaunch, decodePackage } from '../../../lib/protocol/launch.js'
import { base58, PROGRAMS } from '../../../simulator/index.js'
import {
  LAUNCH_STATUS, type LaunchState, type PackageState, writeLaunch, writePricePackage
} from '../../../simulator/launch-layouts.js'
import fc from '../../support/property.js'

const client = createProgramClient(PROGRAMS.futarchy)
await client.load()
const u64 = fc.bigInt(0n, (1n << 64n) - 1n)
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base58)
const u8 = fc.integer({ min: 0, max: 255 })
const second = fc.option(fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }))
const [MINT, OTHER] = [1, 2].map(value => base58(Buffer.alloc(32, value))) as [string, string]

/** A launch of any version, with any of its options there or not. */
const launches: fc.Arbitrary<LaunchState> = fc.record({
  version: fc.constantFrom<LaunchState['version'][]>('v0.6', 'v0.7', 'v0.8'),
  olderLayout: fc.boolean(),
  bump: u8,
  minimumRaise: u64,
  monthlyLimit: u64,
  members: fc.array(key, { maxLength: 10 }),
  authority: key,
  signer: key,
  signerBump: u8,
  quoteVault: key,
  baseVault: key,
  baseMint: fc.constant(MINT),
  quoteMint: key,
  started: second,
  closed: second,
  completed: second,
  committed: u64,
  raise: u64,
  status: fc.constantFrom(...Object.keys(LAUNCH_STATUS) as Array<LaunchState['status']>),
  seq: u64,
  dao: fc.option(key),
  daoVault: fc.option(key),
  grantee: key,
  packageAmount: u64,
  monthsLocked: u8,
  team: key,
  additional: u64,
  additionalRecipient: fc.option(key),
  additionalClaimed: fc.boolean(),
  packageInitialized: fc.boolean(),
  governor: key
})
const accountOf = (launch: LaunchState) => ({
  address: OTHER, owner: PROGRAMS[launch.version], data: writeLaunch(launch)
})

test('a launch of any version says what its fields say; complete it has a DAO', t => {
  fc.assert(fc.property(launches, launch => {
    const read = () => decodeLaunch(client, launch.version, accountOf(launch), MINT)
    const complete = launch.status === 'complete'
    if (complete && (launch.dao === null || launch.daoVault === null)) {
      t.throws(read, new DecodeError('launch: complete without a DAO'), { diagnostic: false })
      return
    }
    deepStrictEqual(read(), {
      version: launch.version,
      complete,
      baseVault: launch.baseVault,
      dao: launch.dao,
      daoVault: launch.daoVault,
      packageAmount: launch.packageAmount,
      // v0.6 initialises it while completing
      packageInitialized: launch.version === 'v0.6' || launch.packageInitialized,
      completedAt: launch.version === 'v0.6' ? null : launch.completed
    })
  }), { numRuns: 400 })
  for (const [dao, daoVault] of [[null, null], [null, MINT], [MINT, null]]) {
    const launch: LaunchState = {
      ...fc.sample(launches, { seed: 1, numRuns: 1 })[0]!, status: 'complete', dao: dao!, daoVault: daoVault!
    }
    t.throws(() => decodeLaunch(client, launch.version, accountOf(launch), MINT), DecodeError)
  }
  t.end()
})

test('a launch of another mint, or read as another version\'s, is refused', t => {
  const [launch] = fc.sample(launches, { seed: 2, numRuns: 1 })
  const account = accountOf(launch!)
  t.throws(() => decodeLaunch(client, launch!.version, account, OTHER), new DecodeError('launch: of another mint'))
  for (const version of ['v0.6', 'v0.7', 'v0.8'] as const) {
    if (version !== launch!.version) {
      t.throws(() => decodeLaunch(client, version, account, MINT), new DecodeError('launch: owned by another program'))
    }
  }
  t.end()
})

const packages: fc.Arbitrary<PackageState> = fc.record({
  address: key,
  bump: u8,
  tranches: fc.array(fc.record({ threshold: u64, amount: u64, unlocked: fc.boolean() }), { maxLength: 10 }),
  total: u64,
  unlocked: u64,
  minUnlock: fc.nat(),
  dao: key,
  daoVault: key,
  recipient: key,
  createKey: key,
  mint: fc.constant(MINT),
  vault: key,
  governor: key,
  seq: u64
})
const packageAccount = (state: PackageState) => ({
  address: state.address, owner: PROGRAMS.pricePackage, data: writePricePackage(state)
})

test('a package says how much it had, how much of that is unlocked and where the rest is', t => {
  const ordered = packages.map(
    state => state.unlocked <= state.total ? state : { ...state, total: state.unlocked, unlocked: state.total }
  )
  fc.assert(fc.property(ordered, state => {
    deepStrictEqual(
      decodePackage(client, packageAccount(state), MINT),
      { total: state.total, unlocked: state.unlocked, vault: state.vault }
    )
  }))
  t.end()
})

test('a package of another mint, or with more unlocked than it had, is refused', t => {
  const [state] = fc.sample(packages, { seed: 1, numRuns: 1 })
  const of = (total: bigint, unlocked: bigint, mint = MINT) => decodePackage(
    client, packageAccount({ ...state!, total, unlocked }), mint
  )
  t.match(of(5n, 5n), { total: 5n, unlocked: 5n }, 'all of it')
  t.throws(() => of(5n, 6n), new DecodeError('package: more unlocked than it holds'))
  t.throws(() => of(5n, 5n, OTHER), new DecodeError('package: of another mint'))
  t.end()
})
