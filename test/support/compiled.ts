import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type typescript from 'typescript'

/** A compiled copy of the sources for the processes that tests start: compiling while loading costs each of them a second. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['bench', 'lib', 'plugins', 'routes', 'schemas', 'scripts', 'simulator', 'test']
/** What the sources read beside them. */
const LINKED = ['idl', 'package.json', 'public']

const loadTypescript = (): typeof typescript => createRequire(import.meta.url)('typescript') as typeof typescript

/** Paths from `root` of all files below its `folders` that end with `ending`. */
function filesOf (root: string, folders: readonly string[], ending: string): string[] {
  return folders.filter(folder => existsSync(join(root, folder)))
    .flatMap(folder => (readdirSync(join(root, folder), { recursive: true }) as string[]).map(path => join(folder, path)))
    .concat(readdirSync(root)).filter(path => path.endsWith(ending))
}

/**
 * Brings the copy of the sources of `root` in `folder` up to what they are now: what differs in content is compiled anew, what is gone goes.
 * Several processes may do so at once: a file is replaced whole, and they begin at different ones, so that they share the work.
 */
export function bringUpToDate (root: string, folder: string, { offset = 0, withTests = false }: { offset?: number, withTests?: boolean } = {}): void {
  const sources = filesOf(root, FOLDERS, '.ts').filter(path => !path.endsWith('.d.ts') && (withTests || !path.endsWith('.test.ts')))
  const targets = new Set(sources.map(path => path.replace(/\.ts$/, '.js')))
  for (const path of existsSync(folder) ? filesOf(folder, FOLDERS, '.js') : []) if (!targets.has(path)) rmSync(join(folder, path), { force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of LINKED) if (existsSync(join(root, name))) link(join(root, name), join(folder, name))
  sources.forEach((_, i) => {
    const path = sources[(i + offset) % sources.length]!
    compile(join(root, path), join(folder, path.replace(/\.ts$/, '.js')))
  })
}

function link (from: string, to: string): void {
  try {
    symlinkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** The last line of a compiled file says what it was made from. */
function compile (from: string, to: string): void {
  const source = readFileSync(from, 'utf8')
  const stamp = `// ${createHash('sha256').update(`${from}\n${source}`).digest('hex')}\n`
  if (existsSync(to) && readFileSync(to, 'utf8').endsWith(stamp)) return
  const ts = loadTypescript()
  const { outputText } = ts.transpileModule(source, {
    fileName: from,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      inlineSourceMap: true,
      sourceRoot: `${pathToFileURL(dirname(from)).href}/`
    }
  })
  mkdirSync(dirname(to), { recursive: true })
  const part = `${to}.${process.pid}`
  writeFileSync(part, `${outputText}\n${stamp}`)
  renameSync(part, to)
}

let copy: string | undefined

/** The compiled file of a source, a path from the repository's folder, as it is now: looked at once in each test's process. */
export function compiledFile (path: string): string {
  if (copy === undefined) {
    copy = join(ROOT, '.tap', 'compiled')
    bringUpToDate(ROOT, copy, { offset: process.pid })
  }
  return join(copy, path.replace(/\.ts$/, '.js'))
}
