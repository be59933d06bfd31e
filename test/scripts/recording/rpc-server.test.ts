import { test } from 'tap'
import { startRpcServer } from '../../../scripts/recording/rpc-server.js'

test('a request that is none, one too large and one without an answer are told apart', async t => {
  const server = await startRpcServer({
    answer: async calls => {
      if (calls.some(({ method }) => method === 'fail')) throw new Error('the node is away')
      return calls.map(({ method }) => ({ result: method }))
    }
  })
  t.teardown(() => server.close())
  const post = async (body: string) => {
    const answer = await fetch(server.url, { method: 'POST', body })
    return [answer.status, await answer.text()]
  }
  t.same(
    await post('{"jsonrpc":"2.0","id":7,"method":"getSlot"}'), [200, '{"jsonrpc":"2.0","id":7,"result":"getSlot"}']
  )
  t.same(await post('[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]'),
    [200, '[{"jsonrpc":"2.0","id":1,"result":"a"},{"jsonrpc":"2.0","id":2,"result":"b"}]'])
  t.equal((await post('{'))[0], 400)
  t.same(await post('{"jsonrpc":"2.0","id":1,"method":"fail"}'), [502, 'Error: the node is away'])
  await t.rejects(post('x'.repeat(2 * 1024 ** 2)))
})
