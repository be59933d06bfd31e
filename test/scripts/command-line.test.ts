import { readdirSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { ROOT, startScript } from '../support/script-process.js'

/** What has no command line of its own: it is imported by others. */
const PARTS = [
  'backfill-progress.ts', 'command-line.ts', 'contract.ts', 'open-engine.ts', 'recording.ts',
  'rebuild-stored.ts', 'samples.ts', 'built.js'
]
const SCRIPTS = readdirSync(join(ROOT, 'scripts'), { withFileTypes: true })
  .filter(entry => entry.isFile() && !PARTS.includes(entry.name))
  .map(({ name }) => `scripts/${name}`)
  .concat('test/system/worlds/run.ts')

async function run (t: Test, script: string, ...args: string[]): Promise<{
  code: number | null
  out: string
  errors: string
}> {
  const started = startScript(script, { args })
  t.teardown(() => started.child.kill('SIGKILL'))
  const { code } = await started.ended
  return { code, out: started.stdout(), errors: started.stderr() }
}

const POOL = 'So11111111111111111111111111111111111111112'

/** Two processes at a time. */
async function each<T> (list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...list]
  const take = async () => { for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item) }
  await Promise.all([take(), take()])
}

test('every script refuses a flag that it does not know in one line', async t => {
  t.ok(SCRIPTS.length >= 13)
  await each(SCRIPTS, async script => {
    const { code, out, errors } = await run(t, script, '--colour', 'red')
    t.equal(code, 2, script)
    t.match(errors, /^Unknown option '--colour'.*\n$/, script)
    t.equal(out, '', script)
  })
})

test('--help says in one line how a script is called', async t => {
  await each(['check-listing', 'verify', 'schemas'], async script => {
    const { code, out, errors } = await run(t, `scripts/${script}.ts`, '--help')
    t.same([code, errors], [0, ''], script)
    t.match(out, new RegExp(`^npm run ${script} -- .*\n$`), script)
  })
})

test('values that can\'t be are told in one line', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.teardown(() => taken.close())
  const port = String((taken.address() as AddressInfo).port)
  const bad = createHttpServer((request, response) => {
    if (request.url!.startsWith('/html')) response.end('<html>')
    else response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(bad, 'listening')
  t.teardown(() => bad.close())
  const broken = (path: string): string => `http://127.0.0.1:${(bad.address() as AddressInfo).port}${path}`
  const cases: Array<[script: string, args: string[], told: RegExp]> = [
    [
      'check-listing', ['--form', 'nasdaq'],
      /^--form nasdaq: one of api, coingecko, dexscreener, geckoterminal, cmc, jupiter\n$/
    ],
    ['check-listing', ['--url', 'localhost'], /^--url localhost: an http or https URL\n$/],
    ['check-listing', ['--url'], /^Option '--url <value>' argument missing: npm run check-listing .*\n$/],
    ['verify', ['--rpc', '--pool', POOL], /^Option '--rpc' argument is ambiguous: npm run verify .*\n$/],
    ['check-listing', ['--url', 'http://127.0.0.1:1'], /^http:\/\/127\.0\.0\.1:1 can't be asked: .*\n$/],
    ['check-listing', ['--pools', 'all'], /^--pools all: a whole number from 1 to 10000\n$/],
    ['verify', [], /^npm run verify -- --pool ADDRESS .*\n$/],
    [
      'verify', ['--pool', POOL, '--url', 'http://127.0.0.1:1'],
      /^http:\/\/127\.0\.0\.1:1 can't be asked: .*\n$/
    ],
    ['verify', ['--pool', POOL, '--days', '0'], /^--days 0: a whole number from 1 to 10000\n$/],
    ['verify', ['--pool', POOL, '--volume-basis', 'fee'], /^--volume-basis fee: input or fees\n$/],
    ['check-listing', ['--url', broken('/cut')], /^http:\/\/127\.0\.0\.1:\d+ can't be asked: other side closed\n$/],
    [
      'verify',
      ['--pool', POOL, '--url', broken('/cut')],
      /^http:\/\/127\.0\.0\.1:\d+ can't be asked: other side closed\n$/
    ],
    ['verify', ['--pool', POOL, '--url', broken('/html')], /^127\.0\.0\.1:\d+: no JSON: <html>\n$/],
    ['replay', ['nothing'], /^there is no recording nothing; recordings: simulated\n$/],
    ['replay', ['simulated', '--port', 'http'], /^--port http: a whole number from 0 to 65535\n$/],
    ['replay', ['simulated', '--port', port], /^listen EADDRINUSE.*\n$/],
    [
      'export', ['--what', 'trades', '--format', 'csv', '--out', '/tmp/x.csv', '--store', 'sqlite:/nowhere'],
      /^there is no history in \/nowhere\n$/
    ],
    [
      'export', ['--what', 'trades', '--format', 'csv', '--out', '/tmp/x.csv', '--store', '/nowhere'],
      /^a store is sqlite:FOLDER or a postgres URL\n$/
    ]
  ]
  await each(cases, async ([script, args, told]) => {
    const { code, errors } = await run(t, `scripts/${script}.ts`, ...args)
    // the system refuses a port that is taken; all else is the command line's, or nobody is there to be asked
    t.equal(code, /EADDRINUSE/.test(told.source) ? 1 : 2, `${script} ${args.join(' ')}`)
    t.match(errors, told, `${script} ${args.join(' ')}`)
  })
  t.match(
    (await run(t, 'test/system/worlds/run.ts', '--seeds', 'all')).errors,
    /^--seeds all: a number, or two with a hyphen.*\n$/
  )
})

test('what runs the build says so where there is none', async t => {
  const { code, errors } = await run(t, 'scripts/built.js', 'no-such-script')
  t.same([code, errors], [2, 'npm run no-such-script runs what the build makes: `npm run build` first\n'])
})
