import { test } from 'tap'
import { parseJsonInSlices } from '../../../lib/chain/json-slices.js'
import fc from '../../support/property.js'

/** Every text is large, and parsed a few elements at a time. */
const SMALL = { largeBytes: 1, pieceBytes: 3 }

/** What a parser makes of a text: a value, or that it is none. */
async function outcome (parse: () => unknown): Promise<unknown> {
  try {
    return { value: await parse() }
  } catch (error) {
    return (error as Error).name
  }
}

/** Held against the platform's parser. */
const both = async (text: string | Buffer, options: object = SMALL) => [
  await outcome(() => parseJsonInSlices(Buffer.from(text), options)), await outcome(() => JSON.parse(text.toString()))
] as const

const LIST = '{"jsonrpc":"2.0","result":{"context":{"slot":7},"value":[{"a":["]",",\\""]},[1,[2]],"x\\\\",null, 1e400 ,-0.10,18446744073709551615,"ü€😀"]},"id":1}'
const ODD = [
  '', ' ', '\ufeff[]', '[]', '[ ]', '[ ] x', '[1,2', '[1,2}', '[1,2]]', '[,]', '[1,,2]', '[1,2,]', '[,1,2]', '[1 2]', '[1,2],[3]', '{[1,2,3]:4}', '{"a"[1,2,3]}', '{"a":[1,2,3}]', '[{]}',
  '["a,b","c]"', '["',
  '[{"a":1},{"b":2},{"c":"},{"},{"d":[{"e":1},{"f":2}]}]', '{"a":[{"x":1},{"y":2}],"b":[{"x":1},{"y":2}]}', '[{"a":[{"x":1},{"y":2},{"z":3}]},{"b":3}]', '[{"a":1},{"b":2},{]', '[{"a":1},{"b"2},{"c":3}]', '[{"a":1},{"b":2}},{"c":3}]', '[{"a":"},{"b":"},{"c":3}]',
  '["\\', '["\\"', '["\\"]', '["\\\\"]', '{"k[":1,"l":"]"}', '{"a":[1,2,3],"a":5}', '{"a":5,"a":[1,2,3]}', '{"a":[1,2,3],"b":["list"],"c":"list."}', '{"a":[1,2,3],"b":["l\\u0069st"]}',
  '{"__proto__":[1,2,3]}', '{"2":1,"1":[1,2,3]}', '{"a":[1,2,3],"b":[4,5,6]}', 'null', '"["', '"[1,2]"', '{"a":1}', `["${'a'.repeat(63)}\\"","b"]`, `["${'a'.repeat(62)}\\\\","b"]`, `["${'a'.repeat(90)}\\"","b\\\\",","]`, LIST
]

test('parsed in slices a text is what it is parsed at once, or as little JSON', async t => {
  for (const text of ODD) {
    const [sliced, whole] = await both(text)
    t.strictSame(sliced, whole, text)
  }
  for (let end = 0; end <= LIST.length; end++) {
    const [sliced, whole] = await both(LIST.slice(0, end))
    t.strictSame(sliced, whole, `cut at ${end}`)
  }
  const [sliced, whole] = await both(Buffer.concat([Buffer.from('["a","'), Buffer.from([0xff, 0xe2, 0x82]), Buffer.from('",1,2,3]')]))
  t.strictSame(sliced, whole, 'bytes that are no text')
})

test('any JSON, and any JSON with one character changed', async () => {
  await fc.assert(fc.asyncProperty(fc.json({ maxDepth: 4 }), fc.constantFrom(...'[]{},:"\\1 '), fc.nat(), fc.nat(40), async (text, character, position, pieceBytes) => {
    const at = position % (text.length + 1)
    for (const changed of [text, `[${text},${text}]`, text.slice(0, at) + character + text.slice(at + 1), text.slice(0, at) + character + text.slice(at)]) {
      for (const largeBytes of [1, 50]) {
        const [sliced, whole] = await both(changed, { largeBytes, pieceBytes })
        if (!isSame(sliced, whole)) throw new Error(`${changed}: ${JSON.stringify(sliced)}`)
      }
    }
  }), { numRuns: 2_000 })
})

/** The same value to the last digit, in the same order. */
const isSame = (a: unknown, b: unknown): boolean => Object.is(a, b) || (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null &&
  Array.isArray(a) === Array.isArray(b) && Object.keys(a).join() === Object.keys(b).join() && Object.keys(a).every(key => isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])))

test('each element is told of once, in order, and what is made of it is what comes; the bytes are left as they were', async t => {
  const rows = Array.from({ length: 50 }, (_, at) => ({ at, rest: ['},{'] }))
  const bytes = Buffer.from(JSON.stringify({ first: rows, second: rows }))
  const before = Buffer.from(bytes)
  for (const pieceBytes of [1, 60, 10_000]) {
    const told: unknown[] = []
    const onElement = (element: unknown): void => {
      told.push({ ...element as object })
      delete (element as { rest?: unknown }).rest
    }
    t.strictSame(await parseJsonInSlices(bytes, { largeBytes: 1, pieceBytes, onElement }), { first: rows.map(({ at }) => ({ at })), second: rows })
    t.strictSame(told, rows)
    t.ok(bytes.equals(before))
  }
  const none: unknown[] = []
  t.strictSame(await parseJsonInSlices(bytes, { onElement: element => { none.push(element) } }), { first: rows, second: rows })
  t.strictSame(none, [], 'of a text that is parsed at once')
})

test('what stands beside the list costs no more than its length', async t => {
  const text = `{"a":"list${'.'.repeat(2_000_000)}","b":["........"],"c":"[","d":5}`
  const [sliced, whole] = await both(text)
  t.ok(isSame(sliced, whole))
})

test('a large answer lets others have their turn, and ends with its signal', async t => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ pubkey: String(at), account: { data: ['A'.repeat(800), 'base64'] } }))
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', result: { context: { slot: 1 }, value: rows }, id: 1 }))
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  t.strictSame((await parseJsonInSlices(bytes) as { result: { value: unknown[] } }).result.value, rows)
  clearImmediate(timer)
  t.ok(turns > 1, `${turns} turns`)
  const stopping = new AbortController()
  const reason = new Error('stopped')
  const parsed = parseJsonInSlices(bytes, { signal: stopping.signal })
  stopping.abort(reason)
  t.equal(await parsed.catch((error: unknown) => error), reason)
})
