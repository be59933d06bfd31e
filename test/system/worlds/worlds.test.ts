import t from 'tap'
import { runScript } from '../../support/script-process.js'

/** In a process of its own: simulated time replaces that of everything in it. */
t.test('worlds that once failed pass', { timeout: 570_000 }, async t => {
  const { code, stdout, stderr } = await runScript('test/system/worlds/run.ts', ['--kept', '--no-shrink'])
  t.equal(code, 0, stdout + stderr)
  t.match(stdout, /\d+ worlds, 0 failed/)
})
