import { test } from 'tap'
import { once } from '../../lib/once.js'

test('a value is made with the first call, once, whatever it is', async t => {
  for (const value of [undefined, 0, Promise.resolve(1)]) {
    let made = 0
    const get = once(() => { made++; return value })
    t.equal(made, 0)
    t.equal(get(), value)
    t.equal(get(), value)
    t.equal(made, 1)
  }
})

test('what could not be made is tried again', async t => {
  let tries = 0
  const get = once(() => {
    if (++tries === 1) throw new Error('not yet')
    return tries
  })
  t.throws(get, { message: 'not yet' })
  t.equal(get(), 2)
})
