import { test } from 'tap'
import { createAccountReader, lacking } from '../../../lib/chain/accounts.js'
import { createNodeCalls } from '../../../lib/chain/reply.js'
import type { Rpc } from '../../../lib/chain/rpc.js'
import { systemClock } from '../../../lib/clock.js'
import { ServiceError } from '../../../lib/errors.js'

const PREFIX = Buffer.from('dao')
const row = (pubkey: string) => ({ pubkey, account: { owner: 'program', data: [PREFIX.toString('base64'), 'base64'] } })

/** A reader whose node lists these accounts, and what is told of its answers: whether another node is to be asked. */
function listing (slot: number, ...addresses: string[]) {
  const answer: unknown = { context: { slot }, value: addresses.map(row) }
  const doubts: Array<boolean | undefined> = []
  const rpc: Rpc = {
    send: async () => [],
    call: async (_method, _params, options) => {
      doubts.push(options?.doubt?.(answer))
      return answer
    }
  }
  return { ...createAccountReader(rpc), doubts }
}

test('an answer that lacks an account which was there by its slot is doubted, and refused with its name', async t => {
  const known = new Map([['a', 0], ['b', 100]])
  t.same(lacking(100, new Set(['a']), known), ['b'])
  t.same(lacking(99, new Set(['a']), known), [], 'nobody says that it was there by then')
  t.same(lacking(99, new Set(['b']), known), ['a'])

  const short = listing(100, 'a')
  await t.rejects(short.programAccounts('program', PREFIX, undefined, { known }), { code: 'NODE_BAD_ANSWER', message: /1 of 2 known program accounts are missing, b first/ })
  t.same(short.doubts, [true])
  const earlier = listing(99, 'a')
  t.equal((await earlier.programAccounts('program', PREFIX, undefined, { known })).value.length, 1)
  t.same(earlier.doubts, [false])
  const whole = listing(100, 'a', 'b', 'c')
  t.equal((await whole.programAccounts('program', PREFIX, undefined, { known })).value.length, 3)
  t.same(whole.doubts, [false])
  const unasked = listing(100)
  t.equal((await unasked.programAccounts('program', PREFIX)).value.length, 0)
})

test('accounts of several lists, each with its slot; one that fails fails all, and one that is behind', async t => {
  const asked: unknown[] = []
  let results: unknown[] = []
  const rpc: Rpc = {
    call: async () => { throw new Error('not asked') },
    send: async calls => {
      asked.push(calls.map(({ method, params }) => [method, params[0], (params[1] as { minContextSlot?: number }).minContextSlot]))
      return calls.map((_, at) => results[at] instanceof ServiceError ? { error: results[at] } : { result: results[at] })
    }
  }
  const reader = createAccountReader(rpc)
  const given = (slot: number, ...values: unknown[]) => ({ context: { slot }, value: values })
  const account = { owner: 'program', data: ['AQID', 'base64'] }
  results = [given(7, account, null), given(8, account)]
  const read = { owner: 'program', data: Buffer.from([1, 2, 3]) }
  t.strictSame(await reader.accountLists([['a', 'b'], ['c']], 7), [{ slot: 7, value: [{ address: 'a', ...read }, null] }, { slot: 8, value: [{ address: 'c', ...read }] }])
  t.strictSame(asked, [[['getMultipleAccounts', ['a', 'b'], 7], ['getMultipleAccounts', ['c'], 7]]])
  results = [given(7, account)]
  t.strictSame(await reader.accounts(['a']), { slot: 7, value: [{ address: 'a', ...read }] })
  t.strictSame(await reader.accountLists([]), [])

  results = [given(7, account), new ServiceError('NODE_UNAVAILABLE', 'away')]
  await t.rejects(reader.accountLists([['a'], ['b']]), { message: 'away' })
  results = [given(8, account), given(7, account)]
  await t.rejects(reader.accountLists([['a'], ['b']], 8), { code: 'NODE_UNAVAILABLE', message: /at slot 7, behind 8/ })
  for (const value of [[account, account], [], [{ owner: 'program', data: ['AQ*D', 'base64'] }], [{ owner: 'program', data: ['AQID', 'base58'] }], [{ owner: 'program', data: [5, 'base64'] }]]) {
    results = [given(7, ...value)]
    await t.rejects(reader.accounts(['a']), { code: 'NODE_BAD_ANSWER' }, JSON.stringify(value))
  }
  await t.rejects(reader.accounts(Array.from({ length: 101 }, (_, at) => `${at}`)), RangeError)
})

test('a long answer is decoded as it is parsed: the same accounts, and the same refusal of what is no base64', async t => {
  const data = Array.from({ length: 500 }, (_, at) => Buffer.concat([PREFIX, Buffer.alloc(at, at)]))
  let texts: string[] = []
  const answer = () => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot: 7 }, value: texts.map((text, at) => ({ account: { data: [text, 'base64'], owner: 'program' }, pubkey: `${at}` })) } }))
  let parsed: unknown
  const rpc: Rpc = {
    send: async () => [],
    call: async (method, params) => {
      const ask = createNodeCalls(async () => answer(), { host: 'node', node: 'node', clock: systemClock, timeout: () => 1_000, onCall () {}, onHeaders () {} })
      const [reply] = await ask([{ method, params }], new AbortController().signal)
      if ('error' in reply!) throw reply.error
      return (parsed = reply!.result)
    }
  }
  texts = data.map(bytes => bytes.toString('base64'))
  texts.push(Buffer.alloc(200_000).toString('base64'))
  const { value } = await createAccountReader(rpc).programAccounts('program', PREFIX)
  t.strictSame(value.slice(0, -1), data.map((bytes, at) => ({ address: `${at}`, owner: 'program', data: bytes })))
  t.ok((parsed as { value: Array<{ account: { data: unknown[] } }> }).value.every(({ account }) => Buffer.isBuffer(account.data[0])), 'no text that is kept')
  texts[3] = `*${texts[3]!.slice(1)}`
  await t.rejects(createAccountReader(rpc).programAccounts('program', PREFIX), { code: 'NODE_BAD_ANSWER', message: /not base64/ })
})
