import t from 'tap'
import { amountText, changeText, priceText } from '../../../lib/page/people.js'

t.test('prices: five significant digits, at least cents', async t => {
  t.same([
    '6.482913370041', '241.77', '123456.789', '0.034210000000', '0.000000012345678901', '0.91234567'
  ].map(priceText),
  ['6.4829', '241.77', '123,456.79', '0.034210', '0.000000012346', '0.91235'])
})

t.test('amounts in short', async t => {
  t.same([
    '0', '12.4', '999.994', '1000', '1283400.12', '9412880.44', '2500000000', '1000000000000'
  ].map(amountText),
  ['0.00', '12.40', '999.99', '1 K', '1.283 M', '9.413 M', '2.5 B', '1 T'])
})

t.test('changes with their sign, none where there is none', async t => {
  t.same(['3.42', '-12.70', '0.00', '1234.50'].map(changeText), ['+3.42 %', '−12.70 %', '0.00 %', '+1,234.50 %'])
})
