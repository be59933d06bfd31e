import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { PROGRAMS } from '../../../lib/protocol/addresses.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { keyText } from '../../../lib/protocol/pda.js'
import { decodeMint, decodeTokenAccount } from '../../../lib/protocol/token.js'

const account = (
  data: Buffer, owner: string = PROGRAMS.token
): RawAccount => ({ address: 'X', owner, data }) as RawAccount
/** A buffer of so many bytes with the type of an extended account in place. */
function extended (data: Buffer, length: number, type: number): Buffer {
  const longer = Buffer.concat([data, Buffer.alloc(length - data.length)])
  longer[165] = type
  return longer
}

const mint = Buffer.alloc(82)
mint.writeBigUInt64LE(123_456n, 36)
mint[44] = 6
mint[45] = 1

const holder = Buffer.alloc(165)
holder.fill(1, 0, 32)
holder.fill(2, 32, 64)
holder.writeBigUInt64LE(789n, 64)
holder[108] = 1

test('a mint is an initialised account of either token program, as long as a mint is or extended as one', t => {
  t.same(
    decodeMint(account(mint)),
    { address: 'X', supply: 123_456n, decimals: 6, tokenProgram: PROGRAMS.token, mintAuthority: null }
  )
  t.same(decodeMint(account(mint, PROGRAMS.token2022))?.supply, 123_456n)
  for (const length of [166, 200, 354, 356]) {
    t.equal(decodeMint(account(extended(mint, length, 1), PROGRAMS.token2022))?.supply, 123_456n, `${length} bytes`)
  }
  t.equal(decodeMint(account(extended(mint, 200, 1))), undefined, 'the older program has no extensions')
  t.equal(decodeMint(account(extended(mint, 200, 2), PROGRAMS.token2022)), undefined, 'a token account')
  t.equal(decodeMint(account(extended(mint, 355, 1), PROGRAMS.token2022)), undefined, 'a multisig')
  t.equal(
    decodeMint(account(Buffer.concat([mint, Buffer.alloc(83)]), PROGRAMS.token2022)),
    undefined,
    'as long as a token account'
  )
  t.equal(decodeMint(account(mint, PROGRAMS.metaplex)), undefined, 'of another program')
  for (const state of [0, 2]) {
    t.equal(
      decodeMint(account(Buffer.concat([mint.subarray(0, 45), Buffer.from([state]), mint.subarray(46)]))),
      undefined,
      'not initialised'
    )
  }
  t.end()
})

test('a token account is one of either program that is initialised; anything else is refused', t => {
  const expected = { mint: keyText(Buffer.alloc(32, 1)), owner: keyText(Buffer.alloc(32, 2)), amount: 789n }
  t.same(decodeTokenAccount(account(holder)), expected)
  t.same(decodeTokenAccount(account(extended(holder, 170, 2), PROGRAMS.token2022)), expected)
  for (const [data, owner] of [
    [extended(holder, 170, 1), PROGRAMS.token2022], [extended(holder, 170, 2), PROGRAMS.token],
    [extended(holder, 355, 2), PROGRAMS.token2022], [holder, PROGRAMS.metaplex], [mint, PROGRAMS.token],
    [Buffer.concat([holder.subarray(0, 108), Buffer.alloc(57)]), PROGRAMS.token]
  ] as const) t.throws(() => decodeTokenAccount(account(data, owner)), DecodeError)
  t.end()
})
