import { test } from 'tap'
import { addressMatcher } from '../../../lib/http/client-address.js'

test('an address matches in whatever form it, or the range that holds it, is written', t => {
  const isOf = addressMatcher(['::ffff:10.0.0.1', '::ffff:10.1.0.0/112', '10.2.0.0/16', '2001:db8::/32'])
  for (const [address, expected] of [
    ['10.0.0.1', true], ['::ffff:10.0.0.1', true], ['10.0.0.2', false], ['10.1.255.1', true], ['10.3.0.1', false],
    ['::ffff:10.2.3.4', true], ['10.2.3.4', true], ['2001:db8:1::1', true], ['2001:db9::1', false], ['', false]
  ] as const) t.equal(isOf(address), expected, address)
  const whole = [addressMatcher(['::/0']), addressMatcher(['0.0.0.0/0'])]
  t.same(['::1', '10.0.0.1'].map(address => whole.map(isOf => isOf(address))), [[true, false], [false, true]])
  t.end()
})
