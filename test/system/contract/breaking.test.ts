import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { describeContract } from '../../../scripts/contract.js'
import { breakingChanges } from './breaking.js'
import type { Contract } from './document.js'

const released = JSON.parse(
  readFileSync(new URL('./released.json', import.meta.url), 'utf8')
) as Contract & { info: { version: string } }

test('spec 9: the contract breaks nothing that the last release promised', async t => {
  const problems = breakingChanges(released, await describeContract() as Contract)
  t.same(
    problems,
    [],
    `clients of version ${released.info.version} would break. Take it back, or release a new major version ` +
      'and put its openapi.json in the place of test/system/contract/released.json'
  )
})

/** Way to a part of the document, what stands there instead (undefined: nothing), and what is told of it. */
type Change = [what: string, way: string[], instead: unknown, told?: RegExp]

const schema = (...way: string[]): string[] => ['components', 'schemas', ...way]
const field = (
  name: string, property: string, ...way: string[]
): string[] => schema(name, 'properties', property, ...way)
const operation = (path: string, ...way: string[]): string[] => ['paths', path, 'get', ...way]
const key = (required: boolean): object[] => [{ name: 'key', in: 'query', required, schema: { type: 'string' } }]
const ID = '/api/tickers/{ticker_id}'

const BREAKING: Change[] = [
  ['a path is gone', ['paths', '/health'], undefined, /GET \/health: the operation is gone/],
  ['an operation is gone', operation('/api/tickers'), undefined, /GET \/api\/tickers: the operation is gone/],
  [
    'a client\'s function has another name', operation('/health', 'operationId'), 'health',
    /operationId getHealth has become health/
  ],
  ['a status is gone', operation('/api/tickers', 'responses', '304'), undefined, /tickers 304: the status is gone/],
  [
    'a media type is gone', operation('/api/supply/{mintAddress}/total', 'responses', '200', 'content'), {},
    /the media type text\/plain is gone/
  ],
  [
    'a header is gone', operation('/api/tickers', 'responses', '200', 'headers', 'ETag'), undefined,
    /the header ETag is gone/
  ],
  ['a field is gone', field('Ticker', 'bid'), undefined, /\[\]: the field bid is gone/],
  ['a field within a field is gone', field('Supply', 'mint'), undefined, /body\.data: the field mint is gone/],
  [
    'a field has another type', field('Supply', 'decimals', 'type'), 'string',
    /data\.decimals: type integer has become string/
  ],
  ['a field has another form', field('Ticker', 'bid', 'pattern'), '.*', /bid: pattern .* has become/],
  ['fields may be missing', schema('Ticker', 'required'), ['ticker_id'], /the field ask is no longer always there/],
  [
    'a field may be null', field('Health', 'uptime'), { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] },
    /uptime: form 2 is none/
  ],
  ['a new parameter is required', operation('/health', 'parameters'), key(true), /the new parameter key is required/],
  ['a parameter is gone', operation(ID, 'parameters'), [], /the parameter ticker_id is gone/],
  [
    'a parameter takes less', operation(ID, 'parameters', '0', 'schema', 'type'), 'integer',
    /the parameter ticker_id takes less/
  ]
]

const HARMLESS: Change[] = [
  ['a new path', ['paths', '/api/new'], {}],
  ['a new field', field('Ticker', 'new'), { type: 'string' }],
  ['a new status', operation('/health', 'responses', '502'), { description: 'new' }],
  ['a new optional parameter', operation('/health', 'parameters'), key(false)],
  ['a field that is never null any more', field('DaoReport', 'account_bytes'), { type: 'integer', minimum: 0 }],
  ['other words', schema('Ticker', 'description'), 'other words']
]

function changed (way: readonly string[], instead: unknown): Contract {
  const contract = structuredClone(released)
  const parent = way.slice(0, -1).reduce<Record<string, unknown>>(
    (at, part) => at[part] as Record<string, unknown>, { ...contract }
  )
  const last = way.at(-1)!
  if (instead === undefined) delete parent[last]
  else parent[last] = instead
  return contract
}

test('a breaking change is told, and nothing else', t => {
  for (const [what, way, instead, told] of BREAKING) {
    t.match(breakingChanges(released, changed(way, instead)).join('\n'), told, what)
  }
  for (const [what, way, instead] of HARMLESS) t.same(breakingChanges(released, changed(way, instead)), [], what)
  t.end()
})
