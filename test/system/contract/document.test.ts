import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { contractFiles, describeContract } from '../../../scripts/contract.js'
import { build, settings, startChain } from '../../helper.js'
import {
  answerOf, type Contract, createValidators, type DocumentedAnswer, type Operation, type Way
} from './document.js'

const committed = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
const contract = JSON.parse(committed('openapi.json')) as Contract
const operations = Object.entries(contract.paths).flatMap(
  ([path, { get }]): Array<[string, Operation]> => get === undefined ? [] : [[path, get]]
)

/** What an operation answers, by status. */
const answersOf = (path: string, { responses }: Operation): Array<[string, DocumentedAnswer & Way]> =>
  Object.keys(responses).map(status => [status, answerOf(contract, path, status)!])

test('the committed documents are what the routes say', async t => {
  for (const [name, text] of Object.entries(await contractFiles())) {
    t.equal(text, committed(name), `run \`npm run openapi\` and commit ${name}`)
  }
})

test('the service serves the same document, as JSON and as YAML, and a page to read it', async t => {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger) })
  t.same((await app.inject('/documentation/json')).json(), contract)
  const yaml = (await app.inject('/documentation/yaml')).payload
  t.ok(yaml.startsWith('openapi: 3.1.0') && operations.every(
    ([, { operationId }]) => yaml.includes(`operationId: ${operationId}\n`)
  ))
  const page = await app.inject('/documentation')
  t.match(
    page,
    { statusCode: 200, headers: { 'content-type': /^text\/html/, 'content-security-policy': /^default-src 'none'/ } }
  )
  t.notMatch(page.payload, /(src|href)="?(https?:)?\/\//, 'nothing from another host')
})

test('every operation says what it is, and what it answers', t => {
  t.equal(new Set(operations.map(([, { operationId }]) => operationId)).size, operations.length)
  for (const [path, operation] of operations) {
    const { operationId, summary, description, responses } = operation
    t.match({ operationId, summary, description }, { operationId: /^get[A-Z]/, summary: /./, description: /\.$/ }, path)
    t.ok(['200', '429', '500', '503'].every(status => status in responses), `${path}: what every endpoint answers`)
    t.equal(
      '502' in responses,
      /^\/(api|coingecko|cmc|jupiter|dexscreener|geckoterminal)\//.test(path),
      `${path}: what every endpoint answers that reads the chain`
    )
    for (const [status, { description: says, content, headers }] of answersOf(path, operation)) {
      t.match(says, /\.$/, `${path} ${status} is described`)
      t.equal(content === undefined, status === '304', `${path} ${status} has a body, or has none`)
      t.ok(headers?.['X-RateLimit-Remaining'], `${path} ${status} tells the limit`)
    }
  }
  t.end()
})

test('spec 4: the endpoints of the specification are there', t => {
  const paths = [
    '/', '/health', '/api/tickers', '/api/supply/{mintAddress}', '/api/supply/{mintAddress}/total',
    '/api/supply/{mintAddress}/circulating', '/api/volume/aggregate'
  ]
  t.same(paths.filter(path => contract.paths[path]?.get === undefined), [])
  t.end()
})

test('every field says what it is, or is a component that does', t => {
  interface Part { $ref?: string, description?: string, properties?: object, items?: Part, anyOf?: Part[] }
  const untold = (part: Part, at: string): string[] => [
    ...Object.entries<Part>((part.properties ?? {}) as Record<string, Part>).flatMap(([name, field]) => [
      ...field.$ref === undefined && !field.description ? [`${at}.${name}`] : [], ...untold(field, `${at}.${name}`)
    ]),
    ...[part.items ?? [], part.anyOf ?? []].flat().flatMap(one => untold(one, at))
  ]
  t.same(Object.entries<Part>(contract.components.schemas).flatMap(([name, schema]) => untold(schema, name)), [])
  t.end()
})

test('every example is valid, and every component and answer has one', async t => {
  const validators = createValidators(await describeContract())
  const hold = (way: readonly string[], value: unknown, what: string): void => {
    const validate = validators(way)
    t.ok(validate(value), what, { errors: validate.errors })
  }
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    const { examples = [] } = schema as { examples?: unknown[] }
    t.equal(examples.length, 1, `${name} has an example`)
    for (const example of examples) hold(['components', 'schemas', name], example, `the example of ${name}`)
  }
  for (const [path, operation] of operations) {
    for (const [status, { content = {}, way }] of answersOf(path, operation)) {
      for (const [media, { example, examples = {} }] of Object.entries(content)) {
        const values = [...Object.values(examples).map(({ value }) => value), ...example === undefined ? [] : [example]]
        for (const value of values) {
          hold([...way, 'content', media, 'schema'], value, `${path} ${status}: ${JSON.stringify(value)}`)
        }
      }
    }
  }
})
