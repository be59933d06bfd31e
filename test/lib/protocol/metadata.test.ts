import { test } from 'tap'
import type { RawAccount } from '../../../lib/chain/types.js'
import { PROGRAMS } from '../../../lib/protocol/addresses.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { decodeMetaplex, token2022Metadata } from '../../../lib/protocol/metadata.js'
import { keyText } from '../../../lib/protocol/pda.js'

const MINT = Buffer.alloc(32, 7)
const OTHER = Buffer.alloc(32, 9)
const account = (data: Buffer, owner: string): RawAccount => ({ address: keyText(MINT), owner, data }) as RawAccount

function text (value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}
const authority = Buffer.alloc(32, 1)

test('Metaplex metadata of the mint tells name and symbol; of another, or of another program, nothing', t => {
  const metadata = (mint = MINT, key = 4, name: string | Buffer = 'Meta DAO\0\0') => Buffer.concat(
    [Buffer.from([key]), authority, mint, text(name), text('META')]
  )
  t.same(decodeMetaplex(account(metadata(), PROGRAMS.metaplex), keyText(MINT)), { symbol: 'META', name: 'Meta DAO' })
  t.equal(
    decodeMetaplex(account(metadata(MINT, 4, Buffer.alloc(4_096, 'a')), PROGRAMS.metaplex), keyText(MINT)).name.length,
    4_096
  )
  t.same(decodeMetaplex(
    account(Buffer.concat([metadata().subarray(0, 65), text('Meta'), text('')]), PROGRAMS.metaplex), keyText(MINT)
  ), { symbol: '', name: 'Meta' }, 'a text may be empty')
  for (let length = 0; length < metadata().length; length++) {
    t.throws(
      () => decodeMetaplex(account(metadata().subarray(0, length), PROGRAMS.metaplex), keyText(MINT)),
      DecodeError,
    `cut at ${length}`
    )
  }
  for (const [data, owner] of [
    [metadata(), PROGRAMS.token], [metadata(OTHER), PROGRAMS.metaplex], [metadata(MINT, 5), PROGRAMS.metaplex],
    [metadata(MINT, 4, Buffer.alloc(4_097, 'a')), PROGRAMS.metaplex]
  ] as const) t.throws(() => decodeMetaplex(account(data, owner), keyText(MINT)), DecodeError)
  t.end()
})

/** A Token-2022 mint with extensions behind its 166 bytes. */
function mintWith (...extensions: Array<[type: number, value: Buffer]>): Buffer {
  return Buffer.concat([Buffer.alloc(166), ...extensions.flatMap(([type, value]) => {
    const head = Buffer.alloc(4)
    head.writeUInt16LE(type, 0)
    head.writeUInt16LE(value.length, 2)
    return [head, value]
  })])
}
const pointer = (to: Buffer): [number, Buffer] => [18, Buffer.concat([authority, to])]
const own = (mint = MINT): [number, Buffer] => [19, Buffer.concat([authority, mint, text('Own name'), text('OWN')])]
const padding: [number, Buffer] = [3, Buffer.alloc(5, 0xFF)]

test('a Token-2022 mint carries its texts itself, or says where they are', t => {
  const read = (data: Buffer, owner: string = PROGRAMS.token2022) => token2022Metadata(account(data, owner))
  t.same(read(mintWith(padding, pointer(MINT), padding, own())), { symbol: 'OWN', name: 'Own name' })
  t.same(read(mintWith(own(), pointer(MINT))), { symbol: 'OWN', name: 'Own name' }, 'in whatever order')
  t.same(read(mintWith(pointer(OTHER), own())), { at: keyText(OTHER) }, 'what it points to counts')
  t.equal(read(mintWith(pointer(MINT))), undefined, 'it points to itself, and has none')
  t.equal(read(mintWith(pointer(Buffer.alloc(32)), own())), undefined, 'it points to nobody')
  t.equal(read(mintWith(own())), undefined, 'without a pointer texts are nobody\'s')
  t.equal(
    read(mintWith([0, Buffer.alloc(0)], pointer(MINT), own())), undefined, 'extensions end at the first of no type'
  )
  t.equal(read(Buffer.alloc(82)), undefined, 'a mint without extensions')
  t.equal(read(Buffer.concat([mintWith(padding), Buffer.alloc(3, 1)])), undefined, 'too few bytes for another')
  t.equal(read(mintWith(pointer(MINT), own()), PROGRAMS.token), undefined, 'of the older program')
  t.end()
})

test('a pointer or texts that a newer program has made longer are read all the same', t => {
  const read = (data: Buffer) => token2022Metadata(account(data, PROGRAMS.token2022))
  t.same(read(mintWith([18, Buffer.concat([authority, OTHER, Buffer.alloc(9)])])), { at: keyText(OTHER) })
  t.same(
    read(mintWith(pointer(MINT), [19, Buffer.concat([own()[1], Buffer.alloc(9)])])), { symbol: 'OWN', name: 'Own name' }
  )
  t.end()
})

test('an extension that runs past the end, a short one, or one of another mint is refused', t => {
  const read = (data: Buffer) => token2022Metadata(account(data, PROGRAMS.token2022))
  t.throws(() => read(mintWith(padding, pointer(MINT)).subarray(0, -1)), DecodeError)
  for (const length of [0, 1, 63]) {
    t.throws(() => read(mintWith([18, Buffer.alloc(length)])), DecodeError, `a pointer of ${length} bytes`)
  }
  // of an extension that is passed over, too
  for (let cut = 1; cut <= 9; cut++) {
    t.throws(
      () => read(mintWith(pointer(MINT), [3, Buffer.alloc(9)]).subarray(0, -cut)),
      DecodeError,
    `${cut} bytes past the end`
    )
  }
  t.throws(() => read(mintWith(pointer(MINT), own(OTHER))), DecodeError)
  t.throws(() => read(mintWith(pointer(MINT), [19, Buffer.alloc(63)])), DecodeError)
  t.end()
})
