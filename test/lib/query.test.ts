import { test } from 'tap'
import { byDefault, integer, optional, range, rangeOf, readQuery, word } from '../../lib/query.js'

const PARAMETERS = {
  limit: byDefault(integer('', 'rows', 100, { min: 1, max: 1_000 }), 100),
  from: integer('', 'slot', 7),
  until: optional(integer('', 'slot', 8)),
  type: optional(word('', ['buy', 'sell']))
}

test('parameters are read', t => {
  t.same(readQuery({ from: '7' }, PARAMETERS), { limit: 100, from: 7, until: undefined, type: undefined })
  t.same(
    readQuery({ from: '0', limit: '1000', until: '9007199254740991', type: 'sell' }, PARAMETERS),
    { limit: 1000, from: 0, until: 9007199254740991, type: 'sell' }
  )
  t.end()
})

test('what is malformed, missing, repeated or unknown is told by name', t => {
  const cases: Array<[object, string]> = [
    [{}, 'Invalid from: a whole number, 0 or more (slot), as 7'],
    [{ from: '1', limit: '0' }, 'Invalid limit: a whole number from 1 to 1000 (rows), as 100'],
    [{ from: '1', limit: '1001' }, 'Invalid limit: a whole number from 1 to 1000 (rows), as 100'],
    [{ from: ['1', '2'] }, 'Invalid from: a whole number, 0 or more (slot), as 7'],
    [{ from: '1', type: 'Buy' }, 'Invalid type: one of buy, sell'],
    [{ from: '1', Limit: '5' }, 'Invalid Limit: only limit, from, until, type here'],
    [{ from: '1', constructor: '5' }, 'Invalid constructor: only limit, from, until, type here']
  ]
  for (const odd of ['', '-1', '1.5', '1e3', ' 1', '0x10', '99999999999999999', 'NaN']) {
    cases.push([{ from: odd }, 'Invalid from: a whole number, 0 or more (slot), as 7'])
  }
  for (const [query, message] of cases) {
    t.throws(() => readQuery(query, PARAMETERS), { code: 'INVALID_PARAMETER', message }, JSON.stringify(query))
  }
  t.throws(() => readQuery({ a: '1' }, {}), { message: 'Invalid a: no parameters here' })
  t.end()
})

test(
  'a time is Unix seconds or ISO 8601 with its zone; ' +
    'a date begins a range with its first second and ends it with its last',
  t => {
    const times = (query: object) => rangeOf(readQuery(query, range('Trades')))
    t.same(times({}), { from: undefined, to: undefined })
    t.same(times({ from: '1769860800', to: '1769860801' }), { from: 1_769_860_800, to: 1_769_860_801 })
    t.same(times({ since: '2026-01-31', until: '2026-01-31' }), { from: 1_769_817_600, to: 1_769_903_999 })
    t.same(
      times({ from: '2026-01-31T12:00:00Z', until: '2026-01-31T14:00:00.5+01:30' }),
      { from: 1_769_860_800, to: 1_769_862_600 }
    )
    for (const odd of [
      '', '-1', '1.5', '2026-02-30', '2026-1-1', '2026-01-31T12:00:00', '2026-01-31T25:00Z',
      '2026-01-31T12:00:00+99:99',
      '1969-12-31', '1769860800000', '9999-12-31T23:59:59-12:00', 'now'
    ]) {
      t.throws(() => times({ from: odd }), {
        code: 'INVALID_PARAMETER',
        message: 'Invalid from: Unix seconds, or ISO 8601: 1769860800, 2026-01-31 or 2026-01-31T12:00:00Z'
      }, odd)
    }
    t.throws(
      () => times({ from: '2', since: '1' }), { message: 'Invalid since: another name of from, which is given too' }
    )
    t.throws(() => times({ since: '2', to: '1' }), { message: 'Invalid to: not before since' })
    t.end()
  }
)
