import { test } from 'tap'
import { CLOCK, clockQuestion, createAccountReader } from '../../../lib/chain/accounts.js'
import { isWorthRetrying, rpcError } from '../../../lib/chain/node-errors.js'
import type { Call, Rpc } from '../../../lib/chain/types.js'
import { ServiceError } from '../../../lib/errors.js'
import { TIME } from '../../support/age-time.js'
import { clockAccount } from '../../support/clock-account.js'

const PREFIX = Buffer.from('dao')
const row = (pubkey: string) => ({ pubkey, account: { owner: 'program', data: [PREFIX.toString('base64'), 'base64'] } })
const clockOf = (
  slot: number, time = TIME, options?: Parameters<typeof clockAccount>[1]
) => ({ context: { slot }, value: clockAccount({ slot, time }, options) })
const notAsked = async (): Promise<never> => { throw new Error('not asked') }

/** One node behind all that readers ask for: it gives what `answer` makes of each call; errors are thrown. */
const rpcOf = (answer: (call: Call, at: number) => unknown, pace?: number): Rpc => ({
  call: notAsked,
  send: notAsked,
  ofEach: notAsked,
  async ask ({ calls, read }) {
    const results = await Promise.all(calls.map(answer))
    for (const result of results) if (result instanceof ServiceError) throw result
    return { ...read(results, { host: 'node', ...pace !== undefined && { pace } }), readAt: 5 }
  }
})

/** A reader whose node lists these accounts, with a Clock of the same slot. */
const listing = (slot: number, ...addresses: string[]) =>
  createAccountReader(rpcOf(
    ({ method }) => method === 'getProgramAccounts' ? { context: { slot }, value: addresses.map(row) } : clockOf(slot)
  ))

test('an answer that lacks an account which was there by its slot is refused with its name', async t => {
  const known = new Map([['a', 0], ['b', 100]])
  await t.rejects(listing(100, 'a').programAccounts('program', PREFIX, known), {
    code: 'NODE_BAD_ANSWER', message: /1 of 2 known program accounts are missing, b first/
  })
  t.equal(
    (await listing(99, 'a').programAccounts('program', PREFIX, known)).value.length,
    1,
    'nobody says that it was there by then'
  )
  await t.rejects(listing(99, 'b').programAccounts('program', PREFIX, known), { message: /1 of 2 .* a first/ })
  t.equal((await listing(100, 'a', 'b', 'c').programAccounts('program', PREFIX, known)).value.length, 3)
  t.equal((await listing(100).programAccounts('program', PREFIX)).value.length, 0)
})

test('a list is dated by the Clock beside it: the older of the two moments counts', async t => {
  const asked: Call[] = []
  const list = (slot: number, clockSlot: number, pace?: number) => createAccountReader(rpcOf(call => {
    asked.push(call)
    return call.method === 'getProgramAccounts' ? { context: { slot }, value: [row('a')] } : clockOf(clockSlot)
  }, pace)).programAccounts('program', PREFIX)
  t.match(await list(100, 100), { moment: { slot: 100, time: TIME }, readAt: 5, value: [{ address: 'a' }] })
  t.match(asked, [
    { method: 'getProgramAccounts', params: ['program', { commitment: 'confirmed', withContext: true }] },
    { method: 'getAccountInfo', params: [CLOCK] }
  ])
  t.match((await list(100, 105, 0.4)).moment, { slot: 100, time: TIME - 2 }, 'at the pace that the node shows')
  t.match((await list(100, 105)).moment, { slot: 100, time: TIME - 5 }, 'at the slowest one until that is known')
  t.match((await list(105, 100, 0.4)).moment, { slot: 100, time: TIME })
})

test('a Clock that is none refuses the answer', async t => {
  const clocks: Array<[unknown, RegExp]> = [
    [clockOf(7, TIME, { owner: 'program' }), /a Clock of another owner/],
    [clockOf(7, TIME, { bytes: 39 }), /a Clock of 39 bytes/],
    [clockOf(7, -1), /a Clock that states no time/],
    [clockOf(7, 253_402_300_800), /a Clock that states no time/],
    [{ context: { slot: 7 }, value: null }, /without an owner/],
    [{ value: clockAccount({ slot: 7, time: TIME }) }, /no context and value/]
  ]
  for (const [clock, message] of clocks) {
    const rpc = rpcOf(({ method }) => method === 'getAccountInfo' ? clock : { context: { slot: 7 }, value: [] })
    await t.rejects(rpc.ask(clockQuestion('finalized')), { code: 'NODE_BAD_ANSWER', message })
    await t.rejects(createAccountReader(rpc).programAccounts('program', PREFIX), { code: 'NODE_BAD_ANSWER', message })
  }
  t.same(
    await rpcOf(() => clockOf(7)).ask(clockQuestion('finalized')),
    { moment: { slot: 7, time: TIME }, value: null, readAt: 5 }
  )
})

test(
  'accounts of several lists are of their oldest moment; one that fails fails all, and one that is behind',
  async t => {
    let asked: unknown[] = []
    let results: unknown[] = []
    const reader = createAccountReader(rpcOf(({ method, params }, at) => {
      if (at === 0) asked = []
      asked.push([method, ...params])
      return results[at]
    }))
    const given = (slot: number, time: number, ...values: unknown[]) => ({
      context: { slot: slot + 1 }, value: [...values, clockAccount({ slot, time })]
    })
    const account = { owner: 'program', data: ['AQID', 'base64'] }
    results = [given(8, TIME + 1, account, null), given(7, TIME, account)]
    const read = { owner: 'program', data: Buffer.from([1, 2, 3]) }
    t.strictSame(await reader.accounts([['a', 'b'], ['c']], 7), {
      moment: { slot: 7, time: TIME },
      value: [[{ address: 'a', ...read }, null], [{ address: 'c', ...read }]],
      readAt: 5
    })
    const config = { commitment: 'confirmed', encoding: 'base64' }
    t.strictSame(asked, [['a', 'b'], ['c']].map(list => ['getMultipleAccounts', [...list, CLOCK], config]))
    results = [given(7, TIME, account)]
    t.strictSame(
      await reader.accounts([['a']]),
      { moment: { slot: 7, time: TIME }, readAt: 5, value: [[{ address: 'a', ...read }]] }
    )

    results = [given(7, TIME, account), new ServiceError('NODE_UNAVAILABLE', 'away')]
    await t.rejects(reader.accounts([['a'], ['b']]), { message: 'away' })
    results = [given(8, TIME, account), given(7, TIME, account)]
    await t.rejects(reader.accounts([['a'], ['b']], 8), { code: 'NODE_UNAVAILABLE', message: /at slot 7, behind 8/ })
    t.ok(isWorthRetrying(await reader.accounts([['a'], ['b']], 8).catch((error: unknown) => error)))
    const odd = [
      [account, account], [], [{ owner: 'program', data: ['AQ*D', 'base64'] }],
      [{ owner: 'program', data: ['AQID', 'base58'] }],
      [{ owner: 'program', data: [5, 'base64'] }]
    ]
    for (const values of odd) {
      results = [given(7, TIME, ...values)]
      await t.rejects(reader.accounts([['a']]), { code: 'NODE_BAD_ANSWER' }, JSON.stringify(values))
    }
    results = [{ context: { slot: 7 }, value: [account, account] }]
    await t.rejects(reader.accounts([['a']]), { code: 'NODE_BAD_ANSWER', message: /a Clock of another owner/ })
    const many = Array.from({ length: 100 }, (_, at) => `${at}`)
    results = [given(7, TIME, ...many.slice(1).map(() => null))]
    t.equal((await reader.accounts([many.slice(1)])).value[0]!.length, 99)
  }
)

test('what is no base64 is refused, whatever else the list holds', async t => {
  const data = Array.from({ length: 500 }, (_, at) => Buffer.concat([PREFIX, Buffer.alloc(at, at)]))
  const texts = data.map(bytes => bytes.toString('base64'))
  const rpc = rpcOf(({ method }) => method === 'getAccountInfo'
    ? clockOf(7)
    : {
        context: { slot: 7 },
        value: texts.map((text, at) => ({ account: { data: [text, 'base64'], owner: 'program' }, pubkey: `${at}` }))
      })
  const { value } = await createAccountReader(rpc).programAccounts('program', PREFIX)
  t.strictSame(value, data.map((bytes, at) => ({ address: `${at}`, owner: 'program', data: bytes })))
  texts[3] = `*${texts[3]!.slice(1)}`
  await t.rejects(
    createAccountReader(rpc).programAccounts('program', PREFIX), { code: 'NODE_BAD_ANSWER', message: /not base64/ }
  )
})

test('of token accounts the first bytes are taken, whatever a node gives, with the moment of the list', async t => {
  let given: unknown
  const { tokenAccounts: list } = createAccountReader(
    rpcOf(({ method }) => method === 'getAccountInfo' ? clockOf(105) : given)
  )
  const listOf = (bytes: number) => ({
    context: { slot: 100 },
    value: [{ pubkey: 'a', account: { owner: 'program', data: [Buffer.alloc(bytes, 7).toString('base64'), 'base64'] } }]
  })
  const value = [{ address: 'a', data: Buffer.alloc(72, 7) }]
  for (const bytes of [72, 165]) {
    given = listOf(bytes)
    t.same(await list('owner', 'program'), { moment: { slot: 100, time: TIME - 5, bySlot: true }, value, readAt: 5 })
  }
  given = listOf(71)
  await t.rejects(list('owner', 'program'), { code: 'NODE_BAD_ANSWER', message: /of another length/ })
  for (const code of [-32602, -32010]) {
    given = rpcError('node', code)
    t.equal(await list('owner', 'program'), undefined, `not offered: ${code}`)
  }
  given = rpcError('node', -32603)
  await t.rejects(list('owner', 'program'), { cause: { rpcCode: -32603 } })
})
