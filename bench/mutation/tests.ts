import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Tests of other folders that hold rules of these: what is made of them. */
const FURTHER: Array<[folder: string, tests: readonly string[]]> = [
  ['lib/decimal.ts', ['test/lib/market']],
  ['lib/history/rules', [
    'test/lib/history/volumes', 'test/lib/history/missing-owners.test.ts', 'test/lib/history/losses.test.ts',
    'test/lib/history/unknown-kinds.test.ts', 'test/lib/history/published.test.ts', 'test/lib/history/candles.test.ts'
  ]],
  [
    'lib/protocol',
    ['test/lib/live/snapshot.test.ts', 'test/lib/live/tokens.test.ts', 'test/lib/history/unknown-kinds.test.ts']
  ]
]

/** Test files below `path`, or `path` itself where it is one. */
function testsBelow (root: string, path: string): string[] {
  if (path.endsWith('.test.ts')) return [path]
  return (readdirSync(
    join(root, path), { recursive: true }
  ) as string[]).filter(name => name.endsWith('.test.ts')).sort().map(name => join(path, name))
}

/** What `path` imports of the sources, and what that imports, and so on. */
function loadedBy (root: string, path: string, found = new Set<string>()): Set<string> {
  for (const [, specifier] of readFileSync(join(root, path), 'utf8').matchAll(
    /^(?:import|export)\b(?! type)[^']*'(\.[^']+)\.js'/gm
  )) {
    const imported = join(dirname(path), `${specifier}.ts`)
    if (found.has(imported) || !existsSync(join(root, imported))) continue
    loadedBy(root, imported, found.add(imported))
  }
  return found
}

/**
 * The tests that load a source file, those first that are most likely to notice a change: its own, those of its folder,
 * and, unless `near`, those of what is made of it.
 */
export function testsOf (root: string, file: string, near: boolean): string[] {
  let folder = dirname(file).replace(/^lib/, 'test/lib')
  while (!existsSync(join(root, folder))) folder = dirname(folder)
  const beside = file === 'lib/decimal.ts' ? ['test/lib/decimal.test.ts'] : testsBelow(root, folder)
  const further = near
    ? []
    : FURTHER.filter(([path]) => file.startsWith(path)).flatMap(
      ([, tests]) => tests.flatMap(path => testsBelow(root, path))
    )
  const all = [...new Set([...beside, ...further])].filter(path => loadedBy(root, path).has(file))
  const isOwn = (path: string): boolean => basename(path) === `${basename(file, '.ts')}.test.ts`
  return [...all.filter(isOwn), ...all.filter(path => !isOwn(path))]
}
