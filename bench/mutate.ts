/**
 * Do the tests bite? Changes the source in one small place at a time and runs the tests beside it; a change that no
 * test notices has survived:
 * `npm run mutate -- [FILE or FOLDER …] [--every N] [--seed S] [--near]`. Without names: decimals, market rules, the
 * history's pure rules, the readers of
 * bytes. `--every 5` tries a fifth of the changes, `--near` only the tests that stand beside a file, which is cheaper.
 * Survivors that are no fault are in
 * `bench/mutation/equivalent.txt`, each with its reason; one that the source no longer has is refused. Ends with status
 * 1 below 95 %.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLanes } from './mutation/lanes.js'
import { type Mutant, mutantsOf } from './mutation/mutants.js'
import { testsOf } from './mutation/tests.js'

const ROOT = join(import.meta.dirname, '..')
const MUST_NOTICE = 0.95
/** A change may make a loop endless: its tests may take so many times as long as without it, and this at least, ms. */
const TIMES = 5
const MIN_MS = 20_000
const MAX_MS = 600_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    seed: { type: 'string', default: '0' },
    near: { type: 'boolean', default: false }
  }
})
const every = Number(values.every)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** `path` itself, or the sources below it; types alone have nothing to change. */
function sourcesOf (path: string): string[] {
  if (path.endsWith('.ts')) return [path]
  return (readdirSync(
    join(ROOT, path), { recursive: true }
  ) as string[]).filter(name => /(?<!types)\.ts$/.test(name)).sort().map(name => join(path, name))
}
const files = (positionals.length > 0
  ? positionals
  : [
      'lib/decimal.ts', 'lib/market', 'lib/history/rules', 'lib/protocol'
    ]).flatMap(sourcesOf)

const equivalent = new Set(read('bench/mutation/equivalent.txt').split('\n').filter(
  line => line !== '' && !line.startsWith('#')
).map(line => line.split('  ')[0]!))

/** The changes of a file, each with its key: what changes in which line, and the how manieth such it is. */
function changesOf (file: string): Array<{ file: string, mutant: Mutant, key: string }> {
  const lines = read(file).split('\n')
  const seen = new Map<string, number>()
  return mutantsOf(file, read(file)).map(mutant => {
    const text =
      `${file}: ${mutant.change} in ${lines[mutant.line - 1]!.trim().slice(0, 80).replaceAll(/ +/g, ' ').trimEnd()}`
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return { file, mutant, key: times === 1 ? text : `${text} (${times})` }
  })
}

const changes = files.flatMap(changesOf)
const keys = new Set(changes.map(({ key }) => key))
const stale = [...equivalent].filter(key => files.includes(key.split(': ')[0]!) && !keys.has(key))
if (stale.length > 0) {
  throw new Error(
  `bench/mutation/equivalent.txt names changes that the source no longer has:\n${stale.join('\n')}`
  )
}
const all = changes.filter((_, i) => i % every === Number(values.seed) % every)
const work = all.filter(({ key }) => !equivalent.has(key))

const { lanes, remove } = createLanes(ROOT, availableParallelism())
process.once('exit', remove)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** How long the tests of each file may take, ms. Throws where they fail as it is. */
const tests = new Map<string, string[]>()
const maxMs = new Map<string, number>()
for (const file of new Set(work.map(({ file }) => file))) {
  const begun = performance.now()
  tests.set(file, testsOf(ROOT, file, values.near))
  if (await lanes[0]!.notices(file, read(file), tests.get(file)!, MAX_MS)) {
    throw new Error(
    `the tests of ${file} fail as it is, or there are none`
    )
  }
  maxMs.set(file, Math.round(Math.max(MIN_MS, TIMES * (performance.now() - begun))))
}

let done = 0
const survived = new Map<string, number>()
const left = work.values()
await Promise.all(lanes.map(async lane => {
  for (const { file, mutant, key } of left) {
    const noticed = await lane.notices(file, mutant.source, tests.get(file)!, maxMs.get(file)!)
    if (process.stderr.isTTY) process.stderr.write(`\r${++done} of ${work.length}`)
    if (noticed) continue
    survived.set(file, (survived.get(file) ?? 0) + 1)
    console.log(`survived  ${file}:${mutant.line}  ${key}`)
  }
}))
for (const [file, count] of survived) {
  console.log(
    `${file}: ${work.filter(item => item.file === file).length - count} of ${work.filter(item => item.file === file).length}`
  )
}
const unnoticed = [...survived.values()].reduce((sum, count) => sum + count, 0)
const share = (work.length - unnoticed) / work.length
console.log(
  `${work.length - unnoticed} of ${work.length} changes ` +
    `noticed, ${(share * 100).toFixed(1)} %; ${all.length - work.length} more are known to change nothing`
)
process.exitCode = share >= MUST_NOTICE ? 0 : 1
