import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { rememberUnknown } from '../../../lib/live/unknown-mints.js'

test('a key that is no mint is asked for once in ten seconds, one that fails otherwise each time', async t => {
  let now = 0
  const asked: string[] = []
  const cache = rememberUnknown<string>({
    peek: () => undefined,
    get: async (key: string) => {
      asked.push(key)
      throw new ServiceError(key.startsWith('none') ? 'MINT_NOT_FOUND' : 'NODE_BAD_ANSWER', key)
    }
  } as never, () => now)
  const ask = async (key: string): Promise<void> => { await t.rejects(cache.get(key, 0), { message: key }) }
  await ask('none')
  await ask('none')
  now = 9_999
  await ask('none')
  t.same(asked, ['none'])
  now = 10_000
  await ask('none')
  await ask('fails')
  await ask('fails')
  t.same(asked, ['none', 'none', 'fails', 'fails'])
  for (let at = 0; at < 10_000; at++) await cache.get(`none of ${at}`, 0).catch(() => {})
  await ask('none')
  t.equal(asked.filter(key => key === 'none').length, 3, 'ten thousand others push it out')
})
