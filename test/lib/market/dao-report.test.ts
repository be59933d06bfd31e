import { test } from 'tap'
import { ONE } from '../../../lib/decimal.js'
import { daosReport, type FoundDao } from '../../../lib/market/dao-report.js'

const found = (address: string, leftOut?: string): FoundDao => ({
  address,
  leftOut,
  dao: {
    state: 'spot', baseMint: `base of ${address}`, quoteMint: 'USDC', size: 1_000, seqNum: 7n, createdAt: 1_767_225_600
  }
})
const state = (...discovered: FoundDao[]) => ({
  accountsSlot: 5,
  discovered,
  usd: (mint: string) => mint === 'USDC' ? ONE : undefined,
  symbolOf: (mint: string) => `symbol of ${mint}`
})

test('every DAO that was found is reported, by address: listed, or left out with its reason', async t => {
  for (const order of ['ABCD', 'DCBA', 'BDAC']) {
    const daos = [...order].map(name =>
      found(name, name === 'B' ? 'excluded' : name === 'D' ? 'no reserves' : undefined))
    const report = daosReport(state(...daos), new Set(['C', 'D']), new Map())
    t.same(report.daos.map(({ dao, listed, reason }) => [dao, listed, reason]),
      [['A', true, null], ['B', false, 'excluded'], ['C', false, 'history incomplete'], ['D', false, 'no reserves']])
    t.match(report, { slot: 5, discovered: 4, listed: 1, left_out: 3 })
  }
})

test('what is known of a DAO, and null for what is not: never a zero', async t => {
  const { daos } = daosReport(state(
    found('A'), { address: 'B', dao: undefined, leftOut: 'account can\'t be decoded' },
    { ...found('C'), dao: { state: 'futarchy', baseMint: 'T', quoteMint: 'FAKE', size: 1, seqNum: 0n, createdAt: 0 } }
  ), new Set(), new Map([
    ['A', { indexed: 5n, missingEvents: 2n, firstSwap: 1_767_225_601 }],
    ['C', { indexed: 0n, missingEvents: 0n, firstSwap: null }]
  ]))
  t.same(daos, [
    {
      dao: 'A',
      symbol: 'symbol of base of A',
      created_at: '2026-01-01T00:00:00.000Z',
      listed: true,
      reason: null,
      state: 'spot',
      base_mint: 'base of A',
      quote_mint: 'USDC',
      priced_in_usd: true,
      account_bytes: 1_000,
      sequence_on_chain: '7',
      sequence_indexed: '5',
      missing_events: '2',
      first_swap: '2026-01-01T00:00:01.000Z'
    },
    {
      dao: 'B',
      symbol: '',
      created_at: null,
      listed: false,
      reason: 'account can\'t be decoded',
      state: null,
      base_mint: null,
      quote_mint: null,
      priced_in_usd: false,
      account_bytes: null,
      sequence_on_chain: null,
      sequence_indexed: null,
      missing_events: '0',
      first_swap: null
    },
    {
      dao: 'C',
      symbol: 'symbol of T',
      created_at: null,
      listed: true,
      reason: null,
      state: 'futarchy',
      base_mint: 'T',
      quote_mint: 'FAKE',
      priced_in_usd: false,
      account_bytes: 1,
      sequence_on_chain: '0',
      sequence_indexed: '0',
      missing_events: '0',
      first_swap: null
    }
  ])
})

test('the report of many DAOs lists each with its reason', async t => {
  const discovered = Array.from(
    { length: 60_000 },
    (_, at) => ({ address: `dao ${at}`, dao: undefined, leftOut: at % 3 === 0 ? 'undecodable' : undefined })
  )
  const report = daosReport(
    { accountsSlot: 7, discovered, usd: () => undefined, symbolOf: () => '' },
    new Set(['dao 1']),
    new Map([['dao 2', { indexed: 9n, missingEvents: 4n, firstSwap: 0 }]])
  )
  t.match(report, { slot: 7, discovered: 60_000, listed: 39_999, left_out: 20_001 })
  const of = (name: string) => report.daos.find(({ dao }) => dao === name)
  t.match([of('dao 0'), of('dao 1'), of('dao 2')], [
    { reason: 'undecodable' }, { reason: 'history incomplete' },
    { reason: null, missing_events: '4', sequence_indexed: '9', first_swap: '1970-01-01T00:00:00.000Z' }
  ])
  t.same(report.daos.map(({ dao }) => dao), [...report.daos].map(({ dao }) => dao).sort())
})
