/**
 * Do the worlds bite? `npm run worlds -- --defects [--seeds 1-500] [--only name]` puts each defect into a copy of the source, and says which
 * world found it: of those that once failed, or else of the seeds in their order. A world counts only where the source without the defect passes it.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Defect, DEFECTS } from './defects.js'

const HOME = join(import.meta.dirname, '../../../..')
const COPIED = ['app.ts', 'package.json', 'tsconfig.json', 'idl', 'lib', 'plugins', 'public', 'routes', 'schemas', 'scripts/command-line.ts', 'simulator', 'test/system/worlds', 'test/support']

interface Found { seed: number, rule: string }

/** A copy of the source; `defect` put in. Throws where it doesn't apply. */
function copySource (defect: Defect): string {
  const folder = mkdtempSync(join(tmpdir(), 'worlds-defect-'))
  for (const name of COPIED) cpSync(join(HOME, name), join(folder, name), { recursive: true })
  symlinkSync(join(HOME, 'node_modules'), join(folder, 'node_modules'))
  const path = join(folder, defect.file)
  const text = readFileSync(path, 'utf8')
  const parts = text.split(defect.find)
  if (parts.length !== 2) {
    rmSync(folder, { recursive: true })
    throw new Error(`${defect.name} does not apply: what it replaces stands ${parts.length - 1} times in ${defect.file}`)
  }
  writeFileSync(path, parts.join(defect.put))
  return folder
}

/** The first world that fails, of those that `chosen` names. */
function firstFailure (folder: string, chosen: string[]): Found | undefined {
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'test/system/worlds/run.ts', ...chosen, '--first'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26, env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' } })
  const found = /^seed (\d+), second \d+: (.*)$/m.exec(stdout)
  if (found !== null) return { seed: Number(found[1]), rule: found[2]! }
  if (status !== 0) throw new Error(`the worlds did not run: ${stderr.slice(-2000)}`)
  return undefined
}

/** Tells of each defect which world found it; whether all were. */
export function runDefects (seeds: string, only: string | undefined): boolean {
  const [, last = '500'] = seeds.split('-')
  if (only !== undefined && !DEFECTS.some(({ name }) => name === only)) {
    console.error(`--only ${only}: one of ${DEFECTS.map(({ name }) => name).join(', ')}`)
    return false
  }
  let missed = 0
  for (const defect of DEFECTS.filter(({ name }) => only === undefined || name === only)) {
    const folder = copySource(defect)
    try {
      const kept = firstFailure(folder, ['--kept'])
      let from = Number(seeds.split('-')[0])
      let found: Found | undefined
      if (kept !== undefined) from = Infinity
      while (from <= Number(last)) {
        found = firstFailure(folder, ['--seeds', `${from}-${last}`])
        if (found === undefined || firstFailure(HOME, ['--seeds', `${found.seed}`]) === undefined) break
        from = found.seed + 1
      }
      const by = kept !== undefined ? `the kept world of seed ${kept.seed} (${kept.rule})` : found !== undefined ? `world ${found.seed} (${found.rule})` : undefined
      if (by === undefined) missed++
      console.log(by === undefined ? `${defect.name}: NOT FOUND in ${seeds}` : `${defect.name}: found by ${by}. ${defect.sentence}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return missed === 0
}
