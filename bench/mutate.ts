/**
 * Do the tests bite? Changes the source in one small place at a time and runs the tests beside it; a change that no test notices has survived:
 * `npm run mutate -- [FILE …] [--every N] [--seed S]`. Without files: decimals, market rules, the history's pure rules. `--every 5` tries a fifth of the changes.
 * Survivors that are no fault are in `bench/mutation/equivalent.txt`, each with its reason. Ends with status 1 below 95 %.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'
import { inParallel } from '../lib/async.js'
import { type Mutant, mutantsOf, toJavaScript } from './mutation/mutants.js'

const ROOT = join(import.meta.dirname, '..')
const MUST_NOTICE = 0.95
/** A change may make a loop endless. */
const MAX_MS = 60_000

const { values, positionals } = parseArgs({ allowPositionals: true, options: { every: { type: 'string', default: '1' }, seed: { type: 'string', default: '0' } } })

const filesOf = (folder: string): string[] => readdirSync(join(ROOT, folder)).filter(name => name.endsWith('.ts') && name !== 'types.ts').map(name => `${folder}/${name}`)
const files = positionals.length > 0 ? positionals : ['lib/decimal.ts', ...filesOf('lib/market'), ...filesOf('lib/history/rules')]

/** The file's own test first, then those of its folder; for decimals the rules that are made of them. */
function testsOf (file: string): string[] {
  const folder = dirname(file).replace(/^lib/, 'test/lib')
  const all = file === 'lib/decimal.ts' ? ['test/lib/decimal.test.ts', ...testsIn('test/lib/market')] : testsIn(folder)
  const own = `${folder}/${basename(file, '.ts')}.test.ts`
  const further = folder === 'test/lib/history/rules' ? ['test/lib/history/volumes/last-24h.test.ts', 'test/lib/history/missing-owners.test.ts', 'test/lib/history/losses.test.ts', 'test/lib/history/candles.test.ts'] : []
  return [...new Set([...all.filter(path => path === own), ...all, ...further])]
}
const testsIn = (folder: string): string[] => readdirSync(join(ROOT, folder)).filter(name => name.endsWith('.test.ts')).map(name => `${folder}/${name}`)

/** Whether a test notices that `file` is `source`. */
async function isNoticed (file: string, source: string, folder: string, index: number): Promise<boolean> {
  const path = join(folder, `${index}.js`)
  writeFileSync(path, toJavaScript(source))
  return await new Promise(resolve => {
    const child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/mutation/run-tests.mjs'), pathToFileURL(join(ROOT, file)).href, path, ...testsOf(file)],
      { cwd: ROOT, stdio: 'ignore', timeout: MAX_MS, killSignal: 'SIGKILL', env: { ...process.env, TAP_BAIL: '1', FASTIFY_AUTOLOAD_TYPESCRIPT: '1' } })
    child.on('exit', code => resolve(code !== 0))
  })
}

const equivalent = new Set(readFileSync(join(ROOT, 'bench/mutation/equivalent.txt'), 'utf8').split('\n').filter(line => line !== '' && !line.startsWith('#')).map(line => line.split('  ')[0]!))
const keyOf = (file: string, { change }: Mutant, source: string): string => `${file}: ${change} in ${source.trim().slice(0, 80)}`

const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-mutants-'))
try {
  const work = files.flatMap(file => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    const lines = source.split('\n')
    return mutantsOf(file, source).map(mutant => ({ file, mutant, key: keyOf(file, mutant, lines[mutant.line - 1]!) }))
  }).filter((_, i) => i % Number(values.every) === Number(values.seed) % Number(values.every)).filter(({ key }) => !equivalent.has(key))
  for (const file of new Set(work.map(({ file }) => file))) {
    if (await isNoticed(file, readFileSync(join(ROOT, file), 'utf8'), folder, -1)) throw new Error(`the tests of ${file} fail as it is`)
  }
  let done = 0
  const results = await inParallel(work, availableParallelism(), async ({ file, mutant, key }, index) => {
    const noticed = await isNoticed(file, mutant.source, folder, index)
    if (process.stderr.isTTY) process.stderr.write(`\r${++done} of ${work.length}`)
    if (!noticed) console.log(`survived  ${file}:${mutant.line}  ${key}`)
    return noticed
  })
  const noticed = results.filter(Boolean).length
  console.log(`${noticed} of ${results.length} changes noticed, ${(noticed / results.length * 100).toFixed(1)} %; ${equivalent.size} are known to change nothing`)
  process.exitCode = noticed / results.length >= MUST_NOTICE ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
