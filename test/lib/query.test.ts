import { test } from 'tap'
import { integer, oneOf, readQuery } from '../../lib/query.js'

const PARAMETERS = {
  limit: integer({ min: 1, max: 1_000, otherwise: 100 }),
  from: integer({}),
  until: integer({ otherwise: undefined }),
  type: oneOf(['buy', 'sell'], undefined)
}

test('parameters are read', t => {
  t.same(readQuery({ from: '7' }, PARAMETERS), { limit: 100, from: 7, until: undefined, type: undefined })
  t.same(readQuery({ from: '0', limit: '1000', until: '9007199254740991', type: 'sell' }, PARAMETERS), { limit: 1000, from: 0, until: 9007199254740991, type: 'sell' })
  t.end()
})

test('what is malformed, missing, repeated or unknown is told by name', t => {
  const cases: Array<[object, string]> = [
    [{}, 'Invalid from: a whole number, 0 or more'],
    [{ from: '1', limit: '0' }, 'Invalid limit: a whole number from 1 to 1000'],
    [{ from: '1', limit: '1001' }, 'Invalid limit: a whole number from 1 to 1000'],
    [{ from: ['1', '2'] }, 'Invalid from: a whole number, 0 or more'],
    [{ from: '1', type: 'Buy' }, 'Invalid type: one of buy, sell'],
    [{ from: '1', Limit: '5' }, 'Invalid Limit: only limit, from, until, type here'],
    [{ from: '1', constructor: '5' }, 'Invalid constructor: only limit, from, until, type here']
  ]
  for (const odd of ['', '-1', '1.5', '1e3', ' 1', '0x10', '99999999999999999', 'NaN']) cases.push([{ from: odd }, 'Invalid from: a whole number, 0 or more'])
  for (const [query, message] of cases) t.throws(() => readQuery(query, PARAMETERS), { code: 'INVALID_PARAMETER', message }, JSON.stringify(query))
  t.throws(() => readQuery({ a: '1' }, {}), { message: 'Invalid a: no parameters here' })
  t.end()
})
