import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { startScript } from '../support/script-process.js'
import { until } from '../support/until.js'

test('the demo says how far a limited node has come, and its chain ends with it however it is killed', async t => {
  const { child, output, isAlive, ended } = startScript(
    'scripts/demo.ts', { args: ['--port', '0', '--node', 'documented'], env: { TMPDIR: t.testdir() } }
  )
  t.teardown(() => child.kill('SIGKILL'))
  await until('it says how far it is', () => /transactions of the last day/.test(output()) || !isAlive())
  const [, service, chain] = /curl (\S+)\/ready .* its node: (\S+)/.exec(output()) ?? []
  t.equal((await fetch(`${service}/health`)).status, 200, output())
  t.equal((await fetch(`${chain}/health`)).status, 200)
  child.kill('SIGKILL')
  await ended
  await until('its chain has ended', async () => await fetch(`${chain}/health`).then(() => false, () => true))
  t.pass('nobody answers for the chain any more')
})

test('Ctrl-C, which reaches its chain too, ends it while that is made, and leaves nothing', async t => {
  const folder = t.testdir()
  const { child, stderr, isAlive, ended } = startScript(
    'scripts/demo.ts', { args: ['--port', '0'], env: { TMPDIR: folder } }
  )
  t.teardown(() => child.kill('SIGKILL'))
  const children = (): number[] =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  await until('its chain has a process', () => !isAlive() || children().length > 0)
  for (const pid of children()) process.kill(pid, 'SIGINT')
  await setTimeout(10)
  child.kill('SIGINT')
  const { code } = await ended
  t.equal(code, 1)
  t.equal(stderr(), '\nInterrupted: the demo is over.\n')
  t.same(readdirSync(folder), [])
})
