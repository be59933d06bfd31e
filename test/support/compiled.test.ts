import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { bringUpToDate } from './compiled.js'
import { runScript } from './script-process.js'

test(
  'the compiled copy is the sources as they are: what has changed is compiled anew, what is gone goes, the rest stays',
  async t => {
    const root = t.testdir({
      'package.json': '{ "type": "module" }',
      'app.ts': 'export const app: number = 1\n',
      plugins: {
        'a.ts': 'export const a: string = "first"\n',
        deep: { 'b.ts': 'export type B = 1\nexport const b = 1\n' },
        'types.d.ts': 'declare const x: 1\n'
      },
      test: { 'a.test.ts': 'export {}\n', 'child.ts': 'export {}\n' }
    })
    const folder = join(root, '.tap', 'compiled')
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
    bringUpToDate(root, folder)
    t.match(read('app.js'), /^const app = 1;\nexport /)
    t.match(read('plugins/a.js'), /first/)
    t.match(read('package.json'), /module/)
    t.ok(existsSync(join(folder, 'test/child.js')))
    for (const path of ['plugins/types.d.js', 'plugins/types.js', 'test/a.test.js']) {
      t.notOk(existsSync(join(folder, path)), path)
    }

    const { ino } = statSync(join(folder, 'app.js'))
    writeFileSync(join(root, 'plugins/a.ts'), 'export const a: string = "secnd"\n')
    rmSync(join(root, 'plugins/deep/b.ts'))
    writeFileSync(join(root, 'plugins/c.ts'), 'export const c = 1\n')
    bringUpToDate(root, folder)
    t.match(read('plugins/a.js'), /secnd/)
    t.match(read('plugins/c.js'), /c = 1/)
    t.notOk(existsSync(join(folder, 'plugins/deep/b.js')), 'an autoloaded folder would load what is gone')
    t.equal(statSync(join(folder, 'app.js')).ino, ino)
  }
)

test('a script that is started leads its traces to the source', async t => {
  const { code, stderr } = await runScript('test/support/throws.ts')
  t.equal(code, 1)
  t.match(stderr, /test\/support\/throws\.ts:4/)
})
