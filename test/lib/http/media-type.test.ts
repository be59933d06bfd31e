import { test } from 'tap'
import { prefersJson } from '../../../lib/http/media-type.js'

test('JSON goes to who names it and does not want text as much', t => {
  for (const header of [
    'application/json', 'Application/JSON', 'application/json, */*', 'application/json;q=0.9, text/plain;q=0.5',
    'application/json; charset=utf-8', 'text/html, application/json, */*;q=0.8'
  ]) {
    t.equal(prefersJson(header), true, header)
  }
  for (const header of [
    undefined, '', '*/*', 'text/plain', 'text/*', 'application/*', 'application/json;q=0',
    'application/json;q=0.5, */*', 'text/plain, application/json', 'application/json, text/plain, */*',
    'application/jsonp', 'application/json;q=x', 'text/plain;q=0.9, application/json;q=0.5', ',;,'
  ]) {
    t.equal(prefersJson(header), false, String(header))
  }
  t.end()
})
