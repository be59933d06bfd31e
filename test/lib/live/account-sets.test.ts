import { test } from 'tap'
import { httpError, rpcError } from '../../../lib/chain/node-errors.js'
import { createSetReader } from '../../../lib/live/account-sets.js'

test('a node that gives fewer accounts at a time is asked for fewer, from then on at once', async t => {
  let [largest, error] = [49, rpcError('node', -32602)]
  let asked: number[] = []
  const readSets = createSetReader({
    async programAccounts () { throw new Error('not asked') },
    tokenAccounts: async () => undefined,
    async accounts (lists) {
      asked.push(...lists.map(({ length }) => length))
      if (lists.some(({ length }) => length > largest)) throw error
      const account = (address: string) => ({ address, owner: 'program', data: Buffer.of(1) })
      return { moment: { slot: 7, time: 1 }, readAt: 0, value: lists.map(list => list.map(account)) }
    }
  })
  const sets = Array.from({ length: 8 }, (_, set) => Array.from({ length: 12 }, (_, at) => `${set}/${at}`))
  const read = () => readSets([], sets, set => set as [string, ...string[]], (_, { accounts }) => accounts.size)
  const whole = new Map(sets.map(set => [set[0], 12]))
  t.same(await read(), whole)
  t.same(asked, [96, 48, 48], 'and no set is taken apart')
  asked = []
  t.same(await read(), whole)
  t.same(asked, [48, 48])
  ;[largest, error] = [5, httpError('node', 413)]
  t.same(await read(), whole, 'as a trial plan says it')
  ;[largest, error] = [0, rpcError('node', -32602)]
  await t.rejects(read(), { cause: { rpcCode: -32602 } })
  ;[asked, error] = [[], rpcError('node', -32000)]
  await t.rejects(read(), { cause: { rpcCode: -32000 } })
  t.equal(asked.length, 4, 'another error is no question of how many')
})
