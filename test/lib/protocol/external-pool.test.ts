import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeExternalPool, decodeExternalPosition } from '../../../lib/protocol/external-pool.js'
import { base58, discriminator, PROGRAMS } from '../../../simulator/index.js'
import { Writer } from '../../../simulator/bytes.js'
import fc from '../../support/property.js'

const client = createProgramClient(PROGRAMS.futarchy)
await client.load()
const u128 = fc.bigInt(0n, (1n << 128n) - 1n)
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base58)
const ADDRESS = base58(Buffer.alloc(32, 3))

interface PoolFields { tokenA: string, tokenB: string, min: bigint, max: bigint, price: bigint, mode: number }

/**
 * A pool of the external program with every byte that is not read filled with `fill` (offsets: its program's client, as
 * cp-amm-sdk has them).
 */
function poolAccount ({ tokenA, tokenB, min, max, price, mode }: PoolFields, fill = 0): RawAccount {
  const writer = new Writer(Buffer.alloc(1112, fill)).bytes(discriminator('account', 'Pool'))
  writer.offset = 168
  writer.key(tokenA).key(tokenB)
  writer.offset = 424
  writer.u128(min).u128(max).u128(price)
  writer.offset = 484
  writer.u8(mode)
  return { address: ADDRESS, owner: PROGRAMS.damm, data: writer.buffer }
}

test('a pool has its tokens, its price and the range of it', t => {
  const pools = fc.record({
    tokenA: key,
    tokenB: key,
    prices: fc.tuple(u128, u128, u128),
    mode: fc.constantFrom(0, 1),
    fill: fc.integer({ min: 0, max: 255 })
  })
  fc.assert(fc.property(pools, ({ tokenA, tokenB, prices, mode, fill }) => {
    const [min, price, max] = [...prices].sort((a, b) => a < b ? -1 : 1) as [bigint, bigint, bigint]
    fc.pre(price > 0n)
    deepStrictEqual(decodeExternalPool(client, poolAccount({ tokenA, tokenB, min, max, price, mode }, fill)),
      { tokenA, tokenB, sqrtMinPrice: min, sqrtMaxPrice: max, sqrtPrice: price })
  }))
  t.end()
})

test('a price may be at either end of its range, and neither outside of it nor nothing', t => {
  const at = (price: bigint, min = 5n) => decodeExternalPool(
    client, poolAccount({ tokenA: ADDRESS, tokenB: ADDRESS, min, max: 9n, price, mode: 0 })
  ).sqrtPrice
  t.same([5n, 6n, 9n].map(price => at(price)), [5n, 6n, 9n])
  t.equal(at(1n, 0n), 1n)
  for (const price of [0n, 4n, 10n]) {
    t.throws(() => at(price), new DecodeError('external pool: a price outside its range'))
  }
  t.throws(() => at(0n, 0n), DecodeError)
  t.end()
})

test('a pool that shares reserves does not follow the curve, and is refused', t => {
  const of = (mode: number) => decodeExternalPool(
    client, poolAccount({ tokenA: ADDRESS, tokenB: ADDRESS, min: 5n, max: 9n, price: 7n, mode })
  )
  for (const mode of [0, 1]) t.ok(of(mode))
  for (const mode of [2, 3, 255]) t.throws(() => of(mode), new DecodeError('external pool: compounding'))
  t.end()
})

test('a position holds what is unlocked, vested and locked for good, and is that of one NFT', t => {
  fc.assert(fc.property(key, key, u128, u128, u128, fc.integer({ min: 0, max: 255 }), (
    pool, nft, unlocked, vested, locked, fill
  ) => {
    const writer = new Writer(Buffer.alloc(408, fill)).bytes(discriminator('account', 'Position')).key(pool).key(nft)
    writer.offset = 152
    writer.u128(unlocked).u128(vested).u128(locked)
    const account = { address: ADDRESS, owner: PROGRAMS.damm, data: writer.buffer }
    deepStrictEqual(decodeExternalPosition(client, account, nft), { pool, liquidity: unlocked + vested + locked })
    if (nft !== ADDRESS) {
      t.throws(
        () => decodeExternalPosition(client, account, ADDRESS),
        new DecodeError('external position: of another NFT'),
        { diagnostic: false }
      )
    }
  }), { numRuns: 50 })
  t.end()
})
