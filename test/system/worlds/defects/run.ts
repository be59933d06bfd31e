/**
 * Do the worlds bite? `npm run worlds -- --defects [--seeds 1-500] [--seconds 1800] [--only name]` puts each defect
 * into a copy of the source, and says which world found it: of those kept, beginning with the one that should, or else
 * of the seeds in their order, for a while. A seed counts only where the source without the defect passes it.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KEPT } from '../kept.js'
import { type Defect, DEFECTS, piecesOf } from './defects.js'

const HOME = join(import.meta.dirname, '../../../..')
const COPIED = [
  'app.ts', 'openapi.json', 'package.json', 'tsconfig.json', 'idl', 'lib', 'plugins', 'public', 'routes', 'schemas',
  'scripts/command-line.ts', 'simulator', 'test/system/worlds', 'test/support'
]

/** Worlds that have not ended after so long hang. */
const MOST_MS = 7_200_000

interface Found { seed: number, rule: string }

/** A copy of the source; `defect` put in. Throws where it doesn't apply. */
function copySource (defect: Defect): string {
  const folder = mkdtempSync(join(tmpdir(), 'worlds-defect-'))
  for (const name of COPIED) cpSync(join(HOME, name), join(folder, name), { recursive: true })
  symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'))
  for (const { file, find, put } of piecesOf(defect)) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const parts = text.split(find)
    if (parts.length !== 2) {
      rmSync(folder, { recursive: true })
      throw new Error(`${defect.name} does not apply: what it replaces stands ${parts.length - 1} times in ${file}`)
    }
    writeFileSync(path, parts.join(put))
  }
  return folder
}

/**
 * The first world that fails, of those that `chosen` names, and how many were run. Throws where they did not run, or
 * did not end in time.
 */
function firstFailure (folder: string, chosen: string[]): { found: Found | undefined, run: number } {
  const { stdout, status, error } = spawnSync(process.execPath, [
    '--import', 'tsx', 'test/system/worlds/run.ts', ...chosen, '--first'
  ], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' }
  })
  const found = /^seed (\d+), second \d+: (.*)$/m.exec(stdout)
  const run = Number(/^(\d+) worlds, /m.exec(stdout)?.[1] ?? 0)
  if (found !== null) return { found: { seed: Number(found[1]), rule: found[2]! }, run }
  if (error !== undefined || status !== 0) {
    throw new Error(`the worlds did not run to their end: ${error?.message ?? `status ${status}`}`)
  }
  return { found: undefined, run }
}

/**
 * Which world finds it; undefined: none of those kept, nor of the seeds that could be run in `seconds`, of which `last`
 * was the last.
 */
function find (
  folder: string, { by }: Defect, [first, last]: [number, number], seconds: number
): { by?: string, last: number } {
  const kept = KEPT.map(({ plan }) => plan).sort((a, b) => Number(b.seed === by) - Number(a.seed === by))
  const { found } = firstFailure(folder, ['--world', JSON.stringify(kept)])
  if (found !== undefined) return { by: `the kept world of seed ${found.seed} (${found.rule})`, last: 0 }
  const end = performance.now() + seconds * 1000
  for (let from = first; from <= last;) {
    const left = Math.ceil((end - performance.now()) / 1000)
    if (left <= 0) return { last: from - 1 }
    const { found, run } = firstFailure(folder, ['--seeds', `${from}-${last}`, '--seconds', String(left)])
    if (found === undefined) return { last: from + run - 1 }
    if (firstFailure(HOME, ['--seeds', `${found.seed}`]).found === undefined) {
      return {
        by: `world ${found.seed} (${found.rule})`, last: found.seed
      }
    }
    from = found.seed + 1
  }
  return { last }
}

/**
 * Tells of each defect which world found it; whether all were. `seconds`: for the seeds of one that no kept world
 * finds.
 */
export function runDefects (seeds: string, only: string | undefined, seconds: number): boolean {
  const [first = 1, last = first] = seeds.split('-').map(Number)
  if (only !== undefined && !DEFECTS.some(({ name }) => name === only)) {
    console.error(`--only ${only}: one of ${DEFECTS.map(({ name }) => name).join(', ')}`)
    return false
  }
  const chosen = DEFECTS.filter(({ name }) => only === undefined || name === only)
  let missed = 0
  for (const [at, defect] of chosen.entries()) {
    const begun = performance.now()
    const folder = copySource(defect)
    try {
      const found = find(folder, defect, [first, last], seconds)
      if (found.by === undefined) missed++
      const says = found.by === undefined
        ? `NOT FOUND by a kept world, nor by the seeds ${first} to ${found.last}.`
        : `found by ${found.by}.`
      console.log(
        `${at + 1} of ${chosen.length}, ${Math.round((performance.now() - begun) / 1000)} s: ` +
          `${defect.name}: ${says} ${defect.sentence}`
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  console.log(`${chosen.length} defects, ${missed} not found`)
  return missed === 0
}
