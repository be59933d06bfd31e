import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, sourceFiles } from './compiled.js'

/**
 * The service as `npm run build` makes it of the sources as they are now: what tests start is what runs elsewhere, and
 * it starts with half of the CPU that its modules one by one take.
 */

/** What a build is made of beside the sources. */
const MADE_WITH = ['package-lock.json', 'tsconfig.json']
const FOLDERS = ['idl', 'lib', 'plugins', 'routes', 'schemas', 'scripts']
/** Builds of other sources are kept so long, ms: another run of tests may still use one. */
const KEPT_MS = 3_600_000

function stampOf (root: string): string {
  const hash = createHash('sha256')
  for (const path of [...sourceFiles(root, FOLDERS), ...MADE_WITH].sort()) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

function removeOld (folder: string, own: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('built-') && path !== own && Date.now() - statSync(path).mtimeMs > KEPT_MS) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

/** Builds where there is no build yet. Several processes may do so at once: a folder gets its name once it is whole. */
function build (): string {
  const folder = join(ROOT, '.tap', `built-${stampOf(ROOT)}`)
  if (existsSync(folder)) return folder
  const part = `.tap/built-${process.pid}`
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), 'scripts/build.ts', '--out', part],
    { cwd: ROOT, encoding: 'utf8', env: { PATH: process.env.PATH } }
  )
  if (status !== 0) throw new Error(`the service could not be built: ${stderr}`)
  try {
    renameSync(join(ROOT, part), folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(join(ROOT, part), { recursive: true, force: true })
  }
  removeOld(join(ROOT, '.tap'), folder)
  return folder
}

let built: string | undefined

/** The built file of a source that is started, a path: looked at once in each test's process. */
export function builtFile (path: string): string {
  built ??= build()
  return join(built, path.replace(/\.ts$/, '.js'))
}
