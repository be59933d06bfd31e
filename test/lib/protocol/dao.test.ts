import { deepStrictEqual } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { BorshAccountsCoder, type Idl } from '@coral-xyz/anchor'
import { test } from 'tap'
import idl from '../../../idl/futarchy.json' with { type: 'json' }
import type { RawAccount } from '../../../lib/chain/types.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeDao, decodeSpendingLimit, seqNumOf } from '../../../lib/protocol/dao.js'
import { ata, daoAddress } from '../../../simulator/addresses.js'
import { createOracle, type Pool } from '../../../simulator/arithmetic.js'
import { base58, createLedger, PROGRAMS } from '../../../simulator/index.js'
import {
  DAO_SIZE, type DaoIdentity, type DaoLayout, type DaoState, type SquadsLimit, writeDao, writeSquadsLimit
} from '../../../simulator/layouts.js'
import fc from '../../support/property.js'

const client = createProgramClient(PROGRAMS.futarchy)
await client.load()
const anchor = new BorshAccountsCoder(idl as Idl)
const u64 = fc.bigInt(0n, (1n << 64n) - 1n)
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base58)
const DAOS = [0n, 1n, 5n].map((nonce, i) => ({ nonce, creator: base58(Buffer.alloc(32, 21 + i)) })).map(
  ({ nonce, creator }) => ({ nonce, creator, ...daoAddress(PROGRAMS.futarchy, creator, nonce) })
)

const pool: fc.Arbitrary<Pool> = fc.record({
  quote: u64, base: u64, quoteFees: u64, baseFees: u64, created: fc.integer({ min: 1_760_000_000, max: 1_900_000_000 })
})
  .map(({ created, ...rest }) => ({ ...rest, oracle: createOracle(created, 3n, 4n, 5) }))

/** Any DAO of any build, with whatever an earlier form left behind in its account. */
const accounts = fc.record({
  dao: fc.constantFrom(...DAOS),
  keys: fc.array(key, { minLength: 6, maxLength: 6 }),
  layout: fc.constantFrom<DaoLayout[]>('F0', 'F1', 'F2', 'F3'),
  pools: fc.record({ spot: pool, pass: pool, fail: pool }),
  isLive: fc.boolean(),
  seq: fc.nat(),
  members: fc.option(fc.array(key, { maxLength: 10 })),
  stale: fc.integer({ min: 0, max: 255 })
}).map(({ dao, keys, layout, pools, isLive, seq, members, stale }) => {
  const identity: DaoIdentity = {
    layout,
    address: dao.address,
    nonce: dao.nonce,
    creator: dao.creator,
    bump: dao.bump,
    baseMint: keys[0]!,
    quoteMint: keys[1]!,
    baseVault: keys[2]!,
    quoteVault: keys[3]!,
    multisig: keys[4]!,
    vault: keys[5]!,
    spendingLimit: members && { amount: 9n, members }
  }
  const state: DaoState = {
    pools: isLive ? pools : { spot: pools.spot, pass: null, fail: null },
    totalLiquidity: 77n,
    seq,
    proposalCount: 3,
    config: {
      passThresholdBps: 300,
      secondsPerProposal: 4,
      twapInitial: 5n,
      twapMaxChange: 6n,
      twapStartDelay: 7,
      minQuoteLiquidity: 8n,
      minBaseLiquidity: 9n,
      baseToStake: 10n,
      teamThresholdBps: -300,
      teamAddress: keys[4]!,
      optimistic: true
    }
  }
  return {
    identity,
    state,
    account: {
      address: dao.address,
      owner: PROGRAMS.futarchy,
      data: writeDao(Buffer.alloc(DAO_SIZE[layout], stale), identity, state)
    } satisfies RawAccount
  }
})

test('a DAO of any build, in either state, says what its fields say', t => {
  fc.assert(fc.property(accounts, ({ identity, state: { config, pools: { spot, pass }, seq }, account }) => {
    const hasTeam = identity.layout !== 'F0'
    const { details, ...read } = { ...decodeDao(client, account) }
    deepStrictEqual(details(), {
      multisig: identity.multisig,
      totalLiquidity: 77n,
      proposalCount: 3,
      passThresholdBps: 300,
      spendingLimit: identity.spendingLimit,
      teamAddress: hasTeam && config.teamAddress !== PROGRAMS.system ? config.teamAddress : null,
      teamThresholdBps: hasTeam ? -300 : null
    })
    deepStrictEqual(read, {
      address: identity.address,
      ownAddress: identity.address,
      state: pass === null ? 'spot' : 'futarchy',
      baseMint: identity.baseMint,
      quoteMint: identity.quoteMint,
      baseVault: identity.baseVault,
      quoteVault: identity.quoteVault,
      vault: identity.vault,
      baseReserves: spot.base,
      quoteReserves: spot.quote,
      baseFees: spot.baseFees,
      quoteFees: spot.quoteFees,
      createdAt: spot.oracle.created,
      seqNum: BigInt(seq),
      size: account.data.length
    })
  }))
  t.end()
})

/** What Anchor's decoder makes of the bytes by the IDL; undefined where it refuses them. */
function byAnchor (data: Buffer): Record<string, unknown> | undefined {
  try {
    const {
      amm, seq_num: seqNum, base_mint: baseMint, quote_mint: quoteMint, squads_multisig_vault: vault
    } = anchor.decode('Dao', data)
    const { Spot, Futarchy } = amm.state
    const { spot } = Spot ?? Futarchy
    if (!amm.base_mint.equals(baseMint) || !amm.quote_mint.equals(quoteMint)) return undefined
    return {
      state: Spot === undefined ? 'futarchy' : 'spot',
      baseMint: baseMint.toBase58(),
      quoteMint: quoteMint.toBase58(),
      baseVault: amm.amm_base_vault.toBase58(),
      quoteVault: amm.amm_quote_vault.toBase58(),
      vault: vault.toBase58(),
      baseReserves: BigInt(spot.base_reserves.toString()),
      quoteReserves: BigInt(spot.quote_reserves.toString()),
      baseFees: BigInt(spot.base_protocol_fee_balance.toString()),
      quoteFees: BigInt(spot.quote_protocol_fee_balance.toString()),
      createdAt: Number(spot.oracle.created_at_timestamp.toString()),
      seqNum: BigInt(seqNum.toString())
    }
  } catch {
    return undefined
  }
}

const READ = ['state', 'baseMint', 'quoteMint', 'baseVault', 'quoteVault', 'vault', 'baseReserves', 'quoteReserves',
  'baseFees', 'quoteFees', 'createdAt', 'seqNum'] as const

test('what is read is what Anchor reads by the IDL, and what it refuses is refused', t => {
  const outcomes = { read: 0, refused: 0 }
  fc.assert(fc.property(accounts, fc.option(
    fc.record({ at: fc.nat(795), byte: fc.nat(255) })
  ), ({ account }, damage) => {
    const data = Buffer.from(account.data)
    if (damage !== null) data[damage.at] = damage.byte
    const expected = byAnchor(data)
    outcomes[expected === undefined ? 'refused' : 'read']++
    let found: Record<string, unknown> | undefined
    try {
      const dao = decodeDao(client, { ...account, data })
      found = Object.fromEntries(READ.map(name => [name, dao[name]]))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
    deepStrictEqual(found, expected)
  }), { numRuns: 2_000 })
  t.ok(outcomes.read > 100 && outcomes.refused > 100, 'both have been seen')
  t.end()
})

test('a DAO\'s bytes name its own address, wherever they are said to stand', t => {
  const { account, identity } = fc.sample(accounts, { seed: 1, numRuns: 1 })[0]!
  const elsewhere = decodeDao(client, { ...account, address: base58(Buffer.alloc(32, 5)) })
  t.same([elsewhere.address, elsewhere.ownAddress], [base58(Buffer.alloc(32, 5)), identity.address])
  const another = Buffer.from(account.data)
  const nonceAt = another[8] === 0 ? 285 : 549
  another.writeBigUInt64LE(another.readBigUInt64LE(nonceAt) + 1n, nonceAt)
  t.not(decodeDao(client, { ...account, data: another }).ownAddress, identity.address, 'another nonce')
  t.end()
})

test('what is no DAO, or whose pool is of other mints, is refused', t => {
  for (const [seed, isLive] of [[3, false], [4, true]] as const) {
    const { account } = fc.sample(
      accounts.filter(({ state }) => (state.pools.pass !== null) === isLive), { seed, numRuns: 1 }
    )[0]!
    const { data } = account
    const bent = (at: number): Buffer => {
      const copy = Buffer.from(data)
      copy[at]! ^= 1
      return copy
    }
    t.throws(
      () => decodeDao(client, { ...account, owner: PROGRAMS.damm }), new DecodeError('dao: owned by another program')
    )
    for (let at = 0; at < 8; at++) {
      t.throws(() => decodeDao(client, { ...account, data: bent(at) }), DecodeError, 'another account')
    }
    const shift = isLive ? 264 : 0
    for (const at of [157, 188, 189, 220, 390, 421, 422, 453]) {
      t.throws(
        () => decodeDao(client, { ...account, data: bent(at + shift) }),
        new DecodeError('dao: the pool is of other mints'),
      `byte ${at}`
      )
    }
    t.throws(() => decodeDao(
      client, { ...account, data: Buffer.concat([data.subarray(0, 8), Buffer.from([2]), data.subarray(9)]) }
    ), DecodeError, 'a third state')
    // what is read ends with the sequence number: what newer builds add may be anything
    const end = 532 + shift
    t.match(
      decodeDao(client, { ...account, data: data.subarray(0, end) }),
      { size: end, seqNum: data.readBigUInt64LE(524 + shift) }
    )
    for (const length of [0, 7, 8]) {
      t.throws(() => decodeDao(client, { ...account, data: data.subarray(0, length) }), DecodeError)
    }
    for (const length of [9, 141, end - 1]) {
      t.throws(
        () => decodeDao(client, { ...account, data: data.subarray(0, length) }),
        new DecodeError(`dao: ${length} bytes are too few`)
      )
    }
  }
  t.end()
})

test('an account without room behind its contents has the team that it says', t => {
  for (const layout of ['F0', 'F1', 'F2'] as const) {
    const ofThis = accounts.filter(({ identity }) => identity.layout === layout)
    fc.assert(fc.property(ofThis, ({ account, identity }) => {
      const { data } = account
      const limit = (data[8] === 0 ? 0 : 264) + 532
      const team = limit + (identity.spendingLimit === null ? 1 : 13 + identity.spendingLimit.members.length * 32)
      const exact = (bytes: number) => decodeDao(client, { ...account, data: data.subarray(0, team + bytes) }).details()
      const whole = decodeDao(client, account).details()
      deepStrictEqual(exact(0), { ...whole, teamAddress: null, teamThresholdBps: null })
      if (layout === 'F0') return
      for (const bytes of [34, 36]) deepStrictEqual(exact(bytes), whole)
      t.throws(() => exact(33), DecodeError)
    }), { numRuns: 50 })
  }
  t.end()
})

test('the ledger\'s DAO before, while and after a proposal is live', t => {
  const ledger = createLedger({ seed: 5 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const check = (state: 'spot' | 'futarchy'): void => {
    const { owner, data } = ledger.account(dao.address)!
    const account = { address: dao.address, owner, data }
    const read = decodeDao(client, account)
    t.equal(seqNumOf(account), read.seqNum)
    t.match(read, {
      state,
      ownAddress: dao.address,
      baseReserves: dao.reserves.base,
      quoteReserves: dao.reserves.quote,
      baseFees: dao.feeBalances.base,
      quoteFees: dao.feeBalances.quote,
      createdAt: dao.createdAt
    })
    t.same(
      [read.seqNum, read.baseVault, read.quoteVault],
      [BigInt(dao.seqNum), ata(dao.address, dao.base.address), ata(dao.address, dao.quote.address)]
    )
  }
  check('spot')
  dao.swap('buy', 1_000_000n)
  dao.initializeProposal()
  dao.launchProposal()
  dao.swap('sell', 3_000_001n)
  dao.conditionalSwap('fail', 'buy', 1_000_000n)
  check('futarchy')
  dao.finalizeProposal({ passed: false })
  check('spot')
  t.end()
})

/**
 * Real mainnet accounts after 80 transactions that the protocol's compiled program executed. It stands beside the
 * project, never in it.
 */
const RECORDING = new URL('../../../../shared/fixtures/program-recording.json', import.meta.url)

test('the program\'s own account of the recording', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, t => {
  const { accounts } = JSON.parse(readFileSync(RECORDING, 'utf8')) as {
    accounts: Array<{ pubkey: string, owner: string, data: [string, string] }>
  }
  const { pubkey, owner, data: [text] } = accounts.find(({ owner }) => owner === PROGRAMS.futarchy)!
  const data = Buffer.from(text, 'base64')
  const dao = decodeDao(client, { address: pubkey, owner, data })
  t.equal(dao.ownAddress, pubkey)
  t.same([dao.baseVault, dao.quoteVault], [ata(pubkey, dao.baseMint), ata(pubkey, dao.quoteMint)])
  t.ok(accounts.some(account => account.pubkey === dao.baseVault))
  t.end()
})

test('a spending limit of Squads is of this DAO, its quote token, first vault and a month, or none', async t => {
  const ledger = createLedger({ seed: 5 })
  const members = Array.from({ length: 12 }, () => ledger.newAddress())
  const { identity } = ledger.dao({ base: ledger.mint(), quote: ledger.usdc() })
  const monthly = { amount: 7n, period: 3, members }
  const account = (limit: SquadsLimit = monthly) => ({
    ...{ address: 'x', lamports: 1n, slot: 1 }, owner: PROGRAMS.squads, data: writeSquadsLimit(identity, limit)
  }) as unknown as RawAccount
  const read = (raw: RawAccount) => decodeSpendingLimit(identity, identity.multisig, raw)
  t.same(read(account()), { amount: 7n, members })
  t.same(read(account({ ...monthly, members: [] })), { amount: 7n, members: [] })
  for (const other of [{ period: 0 }, { period: 1 }, { period: 2 }, { period: 4 }, { vault: 1 },
    { mint: identity.baseMint }]) {
    t.equal(read(account({ ...monthly, ...other })), null, JSON.stringify(other))
  }
  const { data, ...rest } = account()
  t.throws(() => read({ ...account(), owner: PROGRAMS.token }), DecodeError)
  for (let length = 0; length < data.length - 4; length++) {
    t.throws(() => read({ ...rest, data: data.subarray(0, length) }), DecodeError)
  }
  for (const at of [0, 8, 40, 134]) {
    const damaged = Buffer.from(data)
    damaged[at]! ^= 0x80
    t.throws(() => read({ ...rest, data: damaged }), DecodeError, `damaged at ${at}`)
  }
})
