import { deepStrictEqual, equal } from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import anchor, { BorshAccountsCoder, type Idl } from '@coral-xyz/anchor'
import { test } from 'tap'
import futarchy from '../../../idl/futarchy.json' with { type: 'json' }
import externalPool from '../../../idl/damm-v2.json' with { type: 'json' }
import launchpadV06 from '../../../idl/launchpad-v0.6.json' with { type: 'json' }
import launchpadV07 from '../../../idl/launchpad-v0.7.json' with { type: 'json' }
import launchpadV08 from '../../../idl/launchpad-v0.8.json' with { type: 'json' }
import performancePackage from '../../../idl/performance-package.json' with { type: 'json' }
import type { RawAccount } from '../../../lib/chain/types.js'
import { LAUNCHPADS } from '../../../lib/protocol/addresses.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { createProgramClient, type Layout, Struct } from '../../../lib/protocol/client.js'
import { type Dao, decodeDao } from '../../../lib/protocol/dao.js'
import { decodeExternalPool, decodeExternalPosition } from '../../../lib/protocol/external-pool.js'
import { decodeLaunch, decodePackage } from '../../../lib/protocol/launch.js'
import { createLedger, discriminator, PROGRAMS } from '../../../simulator/index.js'
import { builtFile } from '../../support/built.js'

const client = createProgramClient(PROGRAMS.futarchy)
await client.load()

/**
 * Every kind of account that the client decodes, as the ledger holds it after a launch with so many members of a
 * spending limit.
 */
function kinds (spendingMembers: number): Array<{
  what: string
  account: RawAccount
  decode: (account: RawAccount) => unknown
}> {
  const ledger = createLedger({ seed: 8 })
  const at = (address: string): RawAccount => {
    const { owner, data } = ledger.account(address)!
    return { address, owner, data: Buffer.from(data) }
  }
  const launches = LAUNCHPADS.map(({ version }) => {
    const launch = ledger.launch(
      { version, raise: 2_000_000_000_000n, packageAmount: 12_900_000_000_000n, additional: 5n, spendingMembers }
    )
    launch.complete()
    return launch
  })
  const [, v07] = launches
  v07!.initializePackage()
  const locked = at(v07!.addresses.package)
  // while tokens are unlocked its state holds where the price stood when that began: 24 bytes more
  const state = 12 + locked.data.readUInt32LE(8) * 25 + 24 + 36 + 4 + 32
  const unlocking = {
    ...locked,
    data: Buffer.concat(
      [locked.data.subarray(0, state), Buffer.from([1]), Buffer.alloc(24, 5), locked.data.subarray(state + 1, -24)]
    )
  }
  return [
    ...launches.map(({ version, addresses, mint }) => ({
      what: `launch ${version}`,
      account: at(addresses.launch),
      decode: (account: RawAccount) => decodeLaunch(client, version, account, mint.address)
    })),
    ...[locked, unlocking].map(account => ({
      what: 'package', account, decode: (account: RawAccount) => decodePackage(client, account, v07!.mint.address)
    })),
    { what: 'pool', account: at(v07!.addresses.pool), decode: account => decodeExternalPool(client, account) },
    {
      what: 'position',
      account: at(v07!.addresses.position),
      decode: account => decodeExternalPosition(client, account, v07!.addresses.positionNftMint)
    },
    { what: 'dao', account: at(v07!.addresses.dao), decode: account => ofEveryVersion(decodeDao(client, account)) }
  ]
}

/** What accounts of any size say: the rest depends on the version that the size tells. */
const ofEveryVersion = (dao: Dao) =>
  Object.fromEntries(Object.keys(dao).filter(key => key !== 'size' && key !== 'details')
    .map(key => [key, dao[key as keyof Dao]]))

test('an account that is cut anywhere is refused, or says what the whole one says', t => {
  for (const members of [0, 1, 10]) {
    for (const { what, account, decode } of kinds(members)) {
      const whole = decode(account)
      let fewest: number | undefined
      for (let length = 0; length <= account.data.length; length++) {
        let rest: unknown
        try {
          rest = decode({ ...account, data: account.data.subarray(0, length) })
        } catch (error) {
          if (!(error instanceof DecodeError) || fewest !== undefined) throw error
          continue
        }
        fewest ??= length
        deepStrictEqual(rest, whole, `${what} of ${length} bytes`)
      }
      // v0.6 is of one build; the others' accounts have grown, and do so further
      if (what !== 'launch v0.6') {
        t.ok(fewest! < account.data.length, `what newer builds append to a ${what} is not needed`)
      }
    }
  }
  t.end()
})

test('an account that ends with what it says is whole: what is not there needs no room', t => {
  for (const { version } of LAUNCHPADS) {
    const ledger = createLedger({ seed: 8 })
    const { addresses, mint, ...launch } =
      ledger.launch({ version, raise: 2_000_000_000_000n, packageAmount: 1n, additional: 5n, spendingMembers: 3 })
    const fewest = () => {
      const { owner, data } = ledger.account(addresses.launch)!
      const isEnough = (length: number): boolean => {
        const account = { address: addresses.launch, owner, data: Buffer.from(data.subarray(0, length)) }
        try {
          decodeLaunch(client, version, account, mint.address)
          return true
        } catch {
          return false
        }
      }
      return Array.from(data.keys()).find(isEnough) ?? data.length
    }
    const before = fewest()
    launch.complete()
    t.ok(fewest() - before >= 64, `${version}: completed it names a DAO and a vault`)
  }
  t.end()
})

test('an account is what its program and its first eight bytes say, and no other', t => {
  for (const { what, account, decode } of kinds(3)) {
    t.throws(() => decode({ ...account, owner: PROGRAMS.token }), DecodeError, `${what} of another program`)
    for (let at = 0; at < 8; at++) {
      const data = Buffer.from(account.data)
      data[at]! ^= 0x80
      t.throws(() => decode({ ...account, data }), DecodeError, `${what} with another byte ${at}`)
    }
    t.throws(() => decode({ ...account, data: Buffer.alloc(0) }), DecodeError)
  }
  t.end()
})

test('a list that says to be longer than it is is refused before anything is made of it', t => {
  for (const { what, account, decode } of kinds(10)) {
    const offset = what.startsWith('launch') ? 25 : what === 'package' ? 8 : undefined
    if (offset === undefined) continue
    for (const count of [11, 2 ** 28, 2 ** 32 - 1]) {
      const data = Buffer.concat([account.data, Buffer.alloc(1000)])
      data.writeUInt32LE(count, offset)
      t.throws(() => decode({ ...account, data }), DecodeError, `${what} of ${count}`)
    }
  }
  t.end()
})

test('a client is of one program, whose accounts begin with the hash of their name', async t => {
  t.equal(client.program, PROGRAMS.futarchy)
  t.ok(client.daoPrefix.equals(discriminator('account', 'Dao')))
  const other = createProgramClient(PROGRAMS.squads)
  await other.load()
  const { account } = kinds(0).find(({ what }) => what === 'dao')!
  t.throws(() => decodeDao(other, account), DecodeError)
  t.ok(
    decodeDao(other, { ...account, owner: PROGRAMS.squads }),
    'the same bytes under the program that the service is set to'
  )
})

test('a client that has not been loaded says so, and not of an account that it is none', t => {
  const { account } = kinds(0).find(({ what }) => what === 'pool')!
  t.throws(
    () => createProgramClient(PROGRAMS.futarchy).pool(account),
    { name: 'Error', message: 'the program client has not been loaded' }
  )
  t.end()
})

/** Throws unless a struct has what Anchor decodes of it; gives how many fields it has. */
function agree (struct: Struct, decoded: Record<string, unknown>): number {
  let count = 0
  for (const [name, value] of Object.entries(decoded)) {
    count++
    if (value === null) equal(struct.has(name), false, name)
    else if (typeof value !== 'object') equal(struct.value(name), value, name)
    else if (value instanceof anchor.BN) {
      const text = value.toString()
      if (name.includes('timestamp')) equal(struct.time(name), Number(text), name)
      else equal(struct.integer(name), BigInt(text), name)
    } else if ('toBase58' in value) equal(struct.key(name), String(value), name)
    else if (!Array.isArray(value)) {
      const inner = struct.struct(name)
      const [first = ''] = Object.keys(value)
      const isEnum = /^[A-Z]/.test(first)
      if (isEnum) equal(inner.name, first, name)
      count += agree(inner, (isEnum ? (value as Record<string, unknown>)[first] : value) as Record<string, unknown>)
    }
  }
  return count
}

test('what is read is what the whole of Anchor decodes, by the layouts of the build, too', async t => {
  const folder = dirname(builtFile('server.ts'))
  const file = join(folder, readdirSync(folder).find(name => /^anchor-.*\.js$/.test(name))!)
  const built = await import(file) as { BorshAccountsCoder: typeof BorshAccountsCoder }
  const idls: Record<string, [idl: unknown, name: string]> = {
    'launch v0.6': [launchpadV06, 'Launch'],
    'launch v0.7': [launchpadV07, 'Launch'],
    'launch v0.8': [launchpadV08, 'Launch'],
    package: [performancePackage, 'PerformancePackage'],
    pool: [externalPool, 'Pool'],
    position: [externalPool, 'Position'],
    dao: [futarchy, 'Dao']
  }
  for (const { what, account: { data } } of kinds(2)) {
    const [idl, name] = idls[what]!
    // when the pool began: behind the discriminator, the state and two other numbers
    if (what === 'dao') data.writeBigInt64LE(-5n, 8 + 1 + 24)
    const decoded = new BorshAccountsCoder(idl as Idl).decode(name, data) as Record<string, unknown>
    for (const Coder of [BorshAccountsCoder, built.BorshAccountsCoder]) {
      const { layout } = new Coder(idl as Idl)['accountLayouts'].get(name)!
      t.ok(agree(new Struct(layout as unknown as Layout, data, 8), decoded) > 6, what)
    }
  }
  t.ok(statSync(file).size < 150_000, 'some 18 MB of a service are not spent on a client that nobody calls')
})
