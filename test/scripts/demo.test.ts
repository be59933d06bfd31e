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
