import { createHash } from 'node:crypto'
import {
  existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, OutputFile } from 'esbuild'

/**
 * A compiled copy of the sources for the processes that tests start: compiling while loading costs each of them a
 * second.
 */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['bench', 'lib', 'plugins', 'routes', 'schemas', 'scripts', 'simulator', 'test']
/** What the sources read beside them. */
const LINKED = ['idl', 'openapi.json', 'openapi.yaml', 'package.json', 'public']

/** Paths from `root` of all files below its `folders` that end with `ending`. */
function filesOf (root: string, folders: readonly string[], ending: string): string[] {
  return folders.filter(folder => existsSync(join(root, folder)))
    .flatMap(
      folder => (readdirSync(join(root, folder), { recursive: true }) as string[]).map(path => join(folder, path))
    )
    .concat(readdirSync(root)).filter(path => path.endsWith(ending))
}

/** Paths from `root` of the sources below its `folders`, and beside them. */
export const sourceFiles = (
  root: string, folders: readonly string[]
): string[] => filesOf(root, folders, '.ts').filter(path => !path.endsWith('.d.ts'))

/**
 * Brings the copy of the sources of `root` in `folder` up to what they are now: what differs in content is compiled
 * anew, what is gone goes. Several processes may do so at once: a file is replaced whole.
 */
export function bringUpToDate (
  root: string, folder: string, { withTests = false }: { withTests?: boolean } = {}
): void {
  const sources = sourceFiles(root, FOLDERS).filter(path => withTests || !path.endsWith('.test.ts'))
  const targets = new Set(sources.map(path => path.replace(/\.ts$/, '.js')))
  for (const path of existsSync(folder) ? filesOf(folder, FOLDERS, '.js') : []) {
    if (!targets.has(path)) rmSync(join(folder, path), { force: true })
  }
  mkdirSync(folder, { recursive: true })
  for (const name of LINKED) if (existsSync(join(root, name))) link(join(root, name), join(folder, name))
  compile(root, folder, sources.flatMap(path => {
    const [from, to] = [join(root, path), join(folder, path.replace(/\.ts$/, '.js'))]
    const stamp = stampOf(from, readFileSync(from, 'utf8'))
    return existsSync(to) && readFileSync(to, 'utf8').endsWith(stamp) ? [] : [{ from, to, stamp }]
  }))
}

function link (from: string, to: string): void {
  try {
    symlinkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** What a file was made from, as its compiled file says in its last line. */
const stampOf = (from: string, source: string): string =>
  `// ${createHash('sha256').update(`${from}\n${source}`).digest('hex')}\n`

/** Compiles files, of which `from` and `to` are paths, all in one go. */
function compile (
  root: string, folder: string, stale: ReadonlyArray<{ from: string, to: string, stamp: string }>
): void {
  if (stale.length === 0) return
  const { outputFiles } = createRequire(import.meta.url)('esbuild').buildSync({
    absWorkingDir: root,
    entryPoints: stale.map(({ from }) => from),
    outdir: folder,
    outbase: root,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: 'inline',
    sourcesContent: false,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } }
  } satisfies BuildOptions) as { outputFiles: OutputFile[] }
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  for (const { to, stamp } of stale) {
    mkdirSync(dirname(to), { recursive: true })
    const part = `${to}.${process.pid}`
    writeFileSync(part, `${texts.get(to)!}\n${stamp}`)
    renameSync(part, to)
  }
}

let copy: string | undefined

/**
 * The compiled file of a source, a path from the repository's folder, as it is now: looked at once in each test's
 * process.
 */
export function compiledFile (path: string): string {
  if (copy === undefined) {
    copy = join(ROOT, '.tap', 'compiled')
    bringUpToDate(ROOT, copy)
  }
  return join(copy, path.replace(/\.ts$/, '.js'))
}
