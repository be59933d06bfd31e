import { existsSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { ratio, toFixed } from '../../../lib/decimal.js'
import { createSnapshotReader } from '../../../lib/live/snapshot.js'
import { createTokenReader } from '../../../lib/live/tokens.js'
import { quotes, quoteTexts } from '../../../lib/market/price.js'
import { PROGRAMS, tokenAccountAddress } from '../../../lib/protocol/addresses.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeTokenAccount } from '../../../lib/protocol/token.js'
import { withLists } from '../../support/account-lists.js'
import { atMoment } from '../../support/age-time.js'

/**
 * Real mainnet accounts after 80 transactions that the protocol's compiled program executed. It stands beside the
 * project, never in it.
 */
const RECORDING = new URL('../../../../shared/fixtures/program-recording.json', import.meta.url)
const skip = existsSync(RECORDING) ? false : 'the recording of the program is not on this machine'
const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'

function readRecording (): Map<string, RawAccount> {
  const { accounts } = JSON.parse(readFileSync(RECORDING, 'utf8')) as {
    accounts: Array<{ pubkey: string, owner: string, data: [string, string] }>
  }
  return new Map(accounts.map(
    ({ pubkey, owner, data }) => [pubkey, { address: pubkey, owner, data: Buffer.from(data[0], 'base64') }]
  ))
}

test(
  'the program\'s own DAO: its price is served, and its reserves plus fees are its vaults\' balances',
  { skip },
  async t => {
    const accounts = readRecording()
    const reader = withLists({
      programAccounts: async (program, prefix) =>
        atMoment(
          1, [...accounts.values()].filter(({ owner, data }) => owner === program && data.subarray(0, 8).equals(prefix))
        ),
      accounts: async addresses => atMoment(1, addresses.map(address => accounts.get(address) ?? null))
    })
    const client = createProgramClient(PROGRAM)
    const read = createSnapshotReader(
      { reader, tokens: createTokenReader({ reader, ttl: 1 }), client, excluded: new Set(), servedMs: 0 }
    )
    const { discovered, pairs } = await read([])
    t.equal(discovered.length, 1)
    const dao = discovered[0]!.dao!
    t.equal(dao.state, 'spot')
    t.equal(
      BigInt(dao.createdAt),
      accounts.get(dao.address)!.data.readBigInt64LE(33),
      'where the program keeps when the pool began'
    )
    t.equal(new Date(dao.createdAt * 1000).toISOString(), '2026-01-02T18:31:48.000Z')
    const balance = (mint: string): bigint => decodeTokenAccount(
      accounts.get(tokenAccountAddress(dao.address, mint, PROGRAMS.token))!
    ).amount
    t.equal(dao.baseReserves + dao.baseFees, balance(dao.baseMint))
    t.equal(dao.quoteReserves + dao.quoteFees, balance(dao.quoteMint))

    const [pair] = pairs.values()
    t.match(pair, { baseMint: 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta', baseDecimals: 6, quoteDecimals: 6 })
    const { last } = quoteTexts(quotes(pair!, { notional: ratio(100n), feeRate: ratio(5n, 1000n) }))
    t.equal(last, toFixed(ratio(dao.quoteReserves, dao.baseReserves), 12))
    t.equal(last, '4.409038198592')
  }
)
