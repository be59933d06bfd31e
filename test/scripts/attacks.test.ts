import { test } from 'tap'
import { startScript } from '../support/script-process.js'
import { until } from '../support/until.js'

test('attacks are carried out on the running demo by the command that it prints', async t => {
  const demo = startScript('scripts/demo.ts', { args: ['--port', '0'], env: { TMPDIR: t.testdir() } })
  t.teardown(async () => {
    demo.child.kill('SIGTERM')
    await demo.ended
  })
  const command = () => /npm run attacks -- (--url \S+ --chain \S+)/.exec(demo.output())?.[1]
  await until('the demo says how', () => command() !== undefined || !demo.isAlive())
  const attacks = startScript('scripts/attacks.ts', { args: [...command()!.split(' '), 'dust'] })
  t.teardown(() => attacks.child.kill('SIGKILL'))
  const { code } = await attacks.ended
  t.equal(code, 0, attacks.output())
  t.match(
    attacks.stdout(),
    /^ {2}dust: nothing before, 99\.00 after\n {2}held$/m,
    'what was paid, and not what the fee would make of it'
  )
  t.ok(demo.isAlive(), demo.output())
})

test('where nobody reads what is told any more it ends without a word', async t => {
  const { child, ended, stderr } = startScript('scripts/attacks.ts', { args: ['dust', 'multisig'] })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdout.destroy()
  t.match(await ended, { code: 1, signal: null })
  t.equal(stderr(), '')
})

test('a demo that is not there, half an address and an unknown attack are told in one line', async t => {
  for (const [args, line] of [
    [
      ['--url', 'http://127.0.0.1:9', '--chain', 'http://127.0.0.1:9'],
      /^http:\/\/127\.0\.0\.1:9 can't be asked: .*\n$/
    ],
    [['--url', 'http://127.0.0.1:9'], /^--url and --chain go together: .*\n$/],
    [['no-such'], /^no-such: one of ten-cent-pool, .*\n$/]
  ] as const) {
    const { ended, stderr } = startScript('scripts/attacks.ts', { args })
    t.not((await ended).code, 0)
    t.match(stderr(), line)
  }
})
