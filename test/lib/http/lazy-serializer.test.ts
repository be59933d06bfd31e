import { test } from 'tap'
import { lazySerializers } from '../../../lib/http/lazy-serializer.js'

test('a serializer writes what its schema and the schemas it refers to have, compiled with its first value', t => {
  let asked = 0
  const compile = lazySerializers(() => {
    asked++
    return { Name: { $id: 'Name', type: 'object', properties: { name: { type: 'string' } } } }
  })
  const serialize = compile({ schema: { type: 'array', items: { $ref: 'Name#' } } })
  t.equal(asked, 0, 'nothing is compiled for a route that nobody calls')
  t.equal(serialize([{ name: 'a', secret: 1 }]), '[{"name":"a"}]')
  t.equal(serialize([]), '[]')
  t.equal(asked, 1)
  t.throws(
    () => compile({ schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } })({}),
    /"name" is required/
  )
  t.end()
})
