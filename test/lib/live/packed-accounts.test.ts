import { gunzipSync, gzipSync } from 'node:zlib'
import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { packAccounts, unpackAccounts } from '../../../lib/live/packed-accounts.js'
import { createLedger } from '../../../simulator/ledger.js'

function accounts () {
  const ledger = createLedger({ seed: 8 })
  const usdc = ledger.usdc()
  for (let at = 0; at < 3; at++) ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const given = ledger.daos.map(({ address }): RawAccount => ({ address, owner: ledger.program, data: Buffer.from(ledger.account(address)!.data) }))
  return { program: ledger.program, other: usdc.address, given: [...given, { address: usdc.address, owner: ledger.program, data: Buffer.alloc(0) }] }
}

test('accounts come out as they went in, the order and one without data included', async t => {
  const { program, given } = accounts()
  const bytes = await packAccounts(program, given)
  t.same(await unpackAccounts(program, bytes), given)
  t.same(await unpackAccounts(program, await packAccounts(program, [])), [])
})

test('accounts of another program, and bytes that are not all of what was packed, are refused', async t => {
  const { program, other, given } = accounts()
  await t.rejects(packAccounts(other, given), /does not belong to/)
  const bytes = await packAccounts(program, given)
  await t.rejects(unpackAccounts(other, bytes), /packed accounts of/)
  await t.rejects(unpackAccounts(program, bytes.subarray(0, -9)), /unexpected end/)
  const plain = gunzipSync(bytes)
  for (const length of [0, 31, 35, 60, 100, plain.length - 1]) {
    await t.rejects(unpackAccounts(program, gzipSync(plain.subarray(0, length))), /end too early/, `${length} bytes`)
  }
  await t.rejects(unpackAccounts(program, gzipSync(Buffer.concat([plain, Buffer.from([0])]))), /something behind/)
  const many = Buffer.from(plain)
  many.writeUInt32LE(2 ** 32 - 1, 32)
  await t.rejects(unpackAccounts(program, gzipSync(many)), /end too early/)
})
