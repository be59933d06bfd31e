import t from 'tap'
import { PROGRAMS, eventAuthority, launchAddresses } from '../../simulator/addresses.js'
import { keyBytes } from '../../simulator/bytes.js'
import { type DaoLayout } from '../../simulator/layouts.js'
import { USDC, createLedger, discriminator } from '../../simulator/index.js'
import { eventsOf, lastEvent, u64 } from '../support/transaction-events.js'

const RESERVES = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }

t.test('derived addresses are those of the launched tokens', async t => {
  t.equal(eventAuthority(PROGRAMS.futarchy), 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC')
  t.match(launchAddresses('v0.6', 'PRVT6TB7uss3FrUd2D9xs2zqDBsa3GbMJMwCQsgmeta', USDC), {
    launch: '9kx7UDFzFt7e2V4pFtawnupKKvRR3EhV7P1Pxmc5XCQj',
    signer: '3x1Nc6zwv3ouVYqWKYMbAi4e2x69cGjTYaXhuJy13LQa',
    dao: 'BLkBSE96kQys7SrMioKxeMiVbeo4Ckk2Y4n1JphKxYnv',
    multisig: '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9',
    daoVault: '6VsC8PuKkXm5xo54c2vbrAaSfQipkpGHqNuKTxXFySx6',
    ammBaseVault: '71naRuPZLV3T6BSk4YpNYhyb2kKWbrefDMFu2Q49e9yd',
    ammQuoteVault: '4zpwwXCcYrFivt57esQdbLfx1mAPRyDrG7Sf2RgRVc8b',
    package: '3kX3EWm9iPB6oxFS2NJ71L6v5wzFZ8rQMEG6HC8QHJtF',
    packageVault: '6S1Nb3YSRXwApbgqbFhAiNp6UjW1jkjAUpB5JQJe336T',
    treasuryBase: '3bVJzGdxGaF1vaCep4ruSEKdKJ7PfK9H6Xr3P1LiPSZg',
    treasuryQuote: '43GopUATK1nhWwmj1cm2mN1TocvaxdXgKg8VD64ZtviR',
    ammPosition: 'A3vAzTgzy75LNFfnekd8BaoYGk7w7W1yJWYPB18uNC7p',
    pool: '7dVri3qjYD3uobSZL3Zth8vSCgU6r6R2nvFsh7uVfDte',
    poolBaseVault: 'CyjajhA1UR2SZBLyEY7j2GKZuDSmXEEkVzb1qLCmZbFB',
    poolQuoteVault: '8KeZkHebowZDdCtS7FLmdNTrGM3ffAup7guwmhdRPEve',
    positionNftMint: '2b3fM2n9iTPG1xJrPevtdQ7Ju5QHuRbBmmA84k3UF4TA',
    position: 'CdBXZ7iodqp95tZuk7SUHfBn5a4PKUbjHqnx5N33zNyM',
    positionNftAccount: '4iP1N52aR5jgnmH4ZVcGUuAuoSuijeovBEEwvvFUENs9',
    metadata: 'ERS31LnQCveaxdUb5worLSiQyw6cfycUssJEyCiYAFg7'
  })
  t.match(launchAddresses('v0.7', 'RNGRtJMbCveqCp7AC6U95KmrdKecFckaJZiWbPGmeta', USDC), {
    dao: '1PAwyDkWNFCcR96GhEReXHJBv3YEFVazCaQgNicVuKv',
    pool: '59WuweKV7DAg8aUgRhNytScQxioaFYNJdWnox5FxAXFq',
    package: 'F35JE1HZMtZXXWdy3koSPRe1gGFQyqd5kpbPw2xNcjR8'
  })
})

t.test('the account of each build, in both states, with the stale bytes a proposal leaves', async t => {
  for (const [layout, size] of [['F0', 1129], ['F1', 1163], ['F2', 1205], ['F3', 1263]] as Array<[DaoLayout, number]>) {
    const ledger = createLedger()
    const base = ledger.mint({ decimals: 9 })
    const dao = ledger.dao({ base, quote: ledger.usdc(), ...RESERVES, layout, spendingMembers: 2 })
    dao.swap('buy', 1_000_000n)
    const data = () => ledger.account(dao.address)!.data
    const spot = data()
    t.equal(spot.length, size)
    t.same(spot.subarray(0, 8), discriminator('account', 'Dao'))
    t.equal(spot.subarray(0, 8).toString('hex'), 'a3092f1f3455c531')
    t.same(
      [spot[8], u64(spot, 109), u64(spot, 117), u64(spot, 125), u64(spot, 133)],
      [0, 200_000_995_000n, 1_999_990_050_050n, 5_000n, 0n]
    )
    t.same(
      [spot.subarray(390, 422), spot.subarray(422, 454), u64(spot, 524)], [keyBytes(base.address), keyBytes(USDC), 3n]
    )
    t.same([spot[532], spot.readUInt32LE(541)], [1, 2], 'a spending limit of two members')

    dao.launchProposal()
    const live = data()
    t.same([live.length, live[8], u64(live, 788), live.readUInt32LE(718)], [size, 1, 5n, 1])
    t.same([u64(live, 109), u64(live, 241), u64(live, 373)], [100_000_497_500n, 100_000_497_500n, 100_000_497_500n])
    t.same(live.subarray(654, 686), keyBytes(base.address))

    dao.finalizeProposal({ passed: true })
    const after = data()
    t.same([after[8], u64(after, 524), u64(after, 109)], [0, 6n, 200_000_995_000n])
    const end = 532 + 13 + 64 + { F0: 0, F1: 34, F2: 36, F3: 62 }[layout]
    t.same(after.subarray(end), live.subarray(end), 'the rest is what the longer form left')
    t.notOk(after.subarray(end, end + 200).every(byte => byte === 0))
  }
})

t.test('events have the lengths of their build, and number themselves', async t => {
  const expected = {
    F0: { update: 134, launch: 653, finalize: 494 },
    F1: { update: 172, launch: 661, finalize: 495 },
    F2: { update: 173, launch: 661, finalize: 495 }
  }
  for (const layout of ['F0', 'F1', 'F2'] as const) {
    const ledger = createLedger()
    const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), ...RESERVES, layout })
    t.equal(eventsOf(ledger, 0)[0]!.length, layout === 'F0' ? 263 : 301)
    let seq = 2
    const check = (what: string, length: number) => {
      const event = lastEvent(ledger)
      t.equal(event.length, length, `${layout} ${what}`)
      t.same(
        [u64(event, 16), u64(event, 24), u64(event, 32)], [BigInt(ledger.slot), BigInt(ledger.time), BigInt(seq++)]
      )
    }
    const run = (what: string, length: number, action: () => unknown) => {
      ledger.advance(3600)
      action()
      check(what, length)
    }
    check('ProvideLiquidity', 461)
    run('SpotSwap', 406, () => dao.swap('buy', 5_000_000n))
    run('UpdateDao', expected[layout].update, () => dao.updateDao())
    run('InitializeProposal', 337, () => dao.initializeProposal())
    run('StakeToProposal', 120, () => dao.stake())
    run('UnstakeFromProposal', 120, () => dao.unstake())
    run('SponsorProposal', 136, () => dao.sponsor())
    run('LaunchProposal', expected[layout].launch, () => dao.launchProposal())
    run('SpotSwap', 670, () => dao.swap('sell', 5_000_000n))
    run('ConditionalSwap', 703, () => dao.conditionalSwap('pass', 'buy', 5_000_000n))
    run('FinalizeProposal', expected[layout].finalize, () => dao.finalizeProposal({ passed: false }))
    run('CollectFees', 557, () => dao.collectFees())
    run('WithdrawLiquidity', 429, () => dao.withdrawLiquidity(0.1))
    run('something unknown', 81, () => dao.unknownEvent())
    dao.launchProposal()
    seq += 2
    run('AdminCancelProposal', 413, () => dao.cancelProposal())
    t.equal(dao.seqNum, seq - 1)
  }
})

t.test('a swap event says what happened, where the layout says', async t => {
  const ledger = createLedger()
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), ...RESERVES })
  const swap = dao.swap('sell', 10_000_000_001n)
  const event = lastEvent(ledger)
  t.equal(event.subarray(0, 16).toString('hex'), 'e445a52e51cb9a1d1dfd79ff523c94c3')
  t.same(event.subarray(40, 72), keyBytes(dao.address))
  t.same(event.subarray(72, 104), keyBytes(swap.trader))
  t.same([event[104], u64(event, 105), u64(event, 113), u64(event, 121)], [1, 10_000_000_001n, 990_074_379n, 0n])
  t.same(
    [event[129], u64(event, 230), u64(event, 238), u64(event, 246), u64(event, 254)],
    [0, dao.reserves.quote, dao.reserves.base, 0n, 50_000_001n]
  )
})

t.test('a proposal account, before and after it is launched', async t => {
  const ledger = createLedger()
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), ...RESERVES })
  const { proposal } = dao.initializeProposal()
  const draft = ledger.account(proposal)!.data
  t.same(
    [draft.subarray(0, 8).toString('hex'), draft[52], draft.subarray(125, 157)],
    ['1a5ebdbb74883521', 0, keyBytes(dao.address)]
  )
  dao.launchProposal()
  const live = ledger.account(proposal)!.data
  t.same([live[52], live.subarray(117, 149)], [1, keyBytes(dao.address)])
})

t.test('mints and their metadata in each of the forms', async t => {
  const ledger = createLedger()
  const classic = ledger.mint({ symbol: 'ABC', name: 'Alphabet', decimals: 9, supply: 2n ** 64n - 1n })
  const mint = ledger.account(classic.address)!
  t.same(
    [mint.owner, mint.data.length, u64(mint.data, 36), mint.data[44], mint.data[45]],
    [PROGRAMS.token, 82, 2n ** 64n - 1n, 9, 1]
  )
  const metadata = ledger.account(classic.metadataAccount!)!
  t.same(
    [metadata.owner, metadata.data[0], metadata.data.subarray(33, 65)],
    [PROGRAMS.metaplex, 4, keyBytes(classic.address)]
  )
  t.equal(metadata.data.subarray(69, 101).toString().replaceAll('\0', ''), 'Alphabet')
  t.equal(metadata.data.subarray(105, 115).toString().replaceAll('\0', ''), 'ABC')
  classic.supply -= 5n
  t.equal(u64(ledger.account(classic.address)!.data, 36), 2n ** 64n - 6n)

  const newer = ledger.mint({ symbol: 'NEW', name: 'Newer', program: 'token-2022' })
  const { owner, data } = ledger.account(newer.address)!
  t.same(
    [owner, data[165], data.readUInt16LE(166)], [PROGRAMS.token2022, 1, 1], 'an extension to step over comes first'
  )
  t.ok(data.includes('Newer'))
  const pointing = ledger.mint({ program: 'token-2022', metadata: 'pointer' })
  t.ok(ledger.account(pointing.address)!.data.includes(keyBytes(pointing.metadataAccount!)))
  t.equal(ledger.account(ledger.mint({ metadata: 'none' }).address)!.data.length, 82)
})
