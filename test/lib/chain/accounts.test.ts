import { test } from 'tap'
import { createAccountReader, lacking } from '../../../lib/chain/accounts.js'
import type { Rpc } from '../../../lib/chain/rpc.js'

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
