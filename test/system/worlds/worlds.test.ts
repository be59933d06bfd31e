import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'

/** In a process of its own: simulated time replaces that of everything in it. */
t.test('worlds that once failed pass', { timeout: 240_000 }, async t => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'test/system/worlds/run.ts', '--kept', '--no-shrink'],
    { cwd: join(import.meta.dirname, '../../..'), encoding: 'utf8', env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' } })
  t.equal(status, 0, stdout + stderr)
  t.match(stdout, /\d+ worlds, 0 failed/)
})
