import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import t, { type Test } from 'tap'
import errors from '../../plugins/errors.js'
import representation from '../../plugins/representation.js'
import market from '../../routes/market/index.js'

/** The page's files and headers; what it does in a browser is tested in test/browser. */

async function build (t: Test): Promise<FastifyInstance> {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  await fastify.register(fp(async instance => { instance.decorate('rateLimit', (() => async () => {}) as never) }, { name: 'rate-limit' }))
  await fastify.register(errors)
  await fastify.register(representation)
  await fastify.register(market, { prefix: '/market' })
  return fastify
}

const assetsOf = (html: string): string[] => [...html.matchAll(/(?:href|src)="(market\/[^"]+)"/g)].map(([, path]) => `/${path}`)

t.test('the page, under its policy', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  t.equal(answer.headers['x-content-type-options'], 'nosniff')
  const policy = String(answer.headers['content-security-policy'])
  for (const rule of [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ]) t.match(policy, rule)
  t.notMatch(policy, /unsafe|https?:|\*/)
  t.notMatch(answer.body, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/i, 'nothing inline')
  t.notMatch(answer.body, /(?:src|href)="(?:https?:)?\/\//, 'no other host')
})

t.test('the page is known again by its entity tag', async t => {
  const fastify = await build(t)
  const { headers } = await fastify.inject('/market')
  t.equal(headers['cache-control'], 'public, max-age=0')
  const again = await fastify.inject({ url: '/market', headers: { 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
})

t.test('one address: the other leads to it, wherever the service stands', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market/')
  t.equal(answer.statusCode, 308)
  t.equal(answer.headers.location, '../market')
})

t.test('every asset that the page names is there, for good', async t => {
  const fastify = await build(t)
  const paths = assetsOf((await fastify.inject('/market')).body)
  t.ok(paths.length > 5)
  for (const path of paths) {
    t.match(path, /^\/market\/[0-9a-f]{12}\//)
    const answer = await fastify.inject(path)
    t.equal(answer.statusCode, 200, path)
    t.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.match(answer.headers['content-type'], path.endsWith('.js') ? /javascript/ : path.endsWith('.css') ? /css/ : /svg/)
    t.ok(answer.headers.etag)
    t.match(answer.headers['content-security-policy'], "default-src 'none'")
  }
  const modules = (await Promise.all(paths.filter(path => path.endsWith('.js')).map(async path => (await fastify.inject(path)).body)))
    .flatMap(body => [...body.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => name))
  for (const name of new Set(modules)) t.ok(paths.some(path => path.endsWith(`/${name}`)), `${name} is fetched ahead`)
})

t.test('an asset of another version is what we have, not to be kept', async t => {
  const fastify = await build(t)
  const answer = await fastify.inject('/market/0123456789ab/app.js')
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'no-cache')
  const again = await fastify.inject({ url: '/market/0123456789ab/app.js', headers: { 'if-none-match': String(answer.headers.etag) } })
  t.equal(again.statusCode, 304)
})

t.test('nothing else is served', async t => {
  const fastify = await build(t)
  const [asset = ''] = assetsOf((await fastify.inject('/market')).body)
  const folder = asset.slice(0, asset.lastIndexOf('/'))
  for (const url of ['/market/x', '/market/x/none.js', '/market/x/..%2f..%2fpackage.json', '/market/x/%2e%2e%2findex.html', '/market/x/.%00', '/market/x/y/z', `${folder}/none.js`]) {
    const answer = await fastify.inject(url)
    t.equal(answer.statusCode, 404, url)
    t.same(answer.json(), { error: `Endpoint not found: ${url}` })
    t.equal(answer.headers['cache-control'], 'no-store', 'not kept, not even under the name of this version')
  }
})

t.test('not part of the described contract', async t => {
  const fastify = Fastify()
  t.teardown(() => fastify.close())
  const hidden: Array<[string, unknown]> = []
  fastify.addHook('onRoute', ({ url, schema }) => { hidden.push([url, schema?.hide]) })
  await fastify.register(representation)
  await fastify.register(market, { prefix: '/market' })
  t.same(new Set(hidden.map(([url]) => url)), new Set(['/market', '/market/', '/market/:version/:file']))
  t.ok(hidden.every(([, hide]) => hide === true))
})
