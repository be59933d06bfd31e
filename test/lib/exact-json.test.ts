import { test } from 'tap'
import { exact, exactJson } from '../../lib/exact-json.js'
import fc from '../support/property.js'

test('numbers are written with every digit they have, and never with an exponent', t => {
  t.equal(exactJson({
    a: exact('0.00000000000000000000123456789012345678'),
    b: [exact('18446744073709551615'), exact('-1.50'), 7],
    c: 'x"\n',
    d: null,
    e: undefined,
    f: true
  }),
  '{"a":0.00000000000000000000123456789012345678,"b":[18446744073709551615,-1.50,7],"c":"x\\"\\n","d":null,"f":true}')
  for (const odd of ['1e5', '01', '.5', '1.', '', 'NaN', '+1', '1,5', ' 1']) t.throws(() => exact(odd), RangeError, odd)
  for (const odd of [0.1, 2 ** 53, NaN, Infinity]) t.throws(() => exactJson({ odd }), RangeError, String(odd))
  t.end()
})

test('whatever else is written is JSON', async () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }).filter(
    value => !/\d[.e]|-0|\d{16}/.test(JSON.stringify(value))
  ), value => {
    return exactJson(value as never) === JSON.stringify(value)
  }))
})
