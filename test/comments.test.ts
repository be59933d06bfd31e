import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Names that are no files of ours: libraries, and sources of the protocol. */
const FOREIGN = /^(bn|web3)\.js$|^sdk\//

const filesOf = (folder: string): string[] => readdirSync(
  join(ROOT, folder), { recursive: true, encoding: 'utf8' }
).map(path => join(folder, path))
const sources = [
  ...['lib', 'plugins', 'routes', 'schemas'].flatMap(filesOf).filter(path => path.endsWith('.ts')), 'app.ts',
  'server.ts'
]
const known = [
  ...sources, ...['docs', 'public', 'scripts', 'simulator', 'test', 'bench', 'idl', 'deploy'].flatMap(filesOf),
  ...readdirSync(ROOT)
]
const isKnown = (name: string): boolean => known.some(path => path === name || path.endsWith(`/${name}`))

test('a comment names no file that is gone', async t => {
  let named = 0
  for (const path of sources) {
    const comments = readFileSync(join(ROOT, path), 'utf8').match(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*/g) ?? []
    for (const [name] of comments.join('\n').matchAll(/(?<![\w./:@-])[a-z][\w./-]*\.(?:[jt]s|md|json|ya?ml)\b/g)) {
      if (FOREIGN.test(name)) continue
      named++
      t.ok(isKnown(name), { message: `${path}: ${name}`, diagnostic: false })
    }
  }
  t.ok(named > 10, 'names have been found')
})
