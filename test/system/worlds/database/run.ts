/** `npm run worlds -- --database`: worlds of several processes on one PostgreSQL, in real time. */
import { execFileSync } from 'node:child_process'
import { ROOT } from '../../../support/script-process.js'
import { databasePlanOf, type DatabasePlan } from './plan.js'
import { dropLeftBehind } from './place.js'
import { KEPT } from './kept.js'
import { runDatabaseWorld } from './world.js'

export interface DatabaseRun {
  seeds: readonly number[]
  /** Those that once failed, before all others. */
  kept: boolean
  world: DatabasePlan | undefined
  /** Prints what happens in each. */
  plan: boolean
  first: boolean
  seconds: number
  /** What stands in dist/ is what is to be run. */
  built: boolean
}

/** Builds the service and runs the worlds; says whether none failed. */
export async function runDatabaseWorlds (
  { seeds, kept, world, plan: isPrinted, first, seconds, built }: DatabaseRun
): Promise<boolean> {
  if (!built) execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
  await dropLeftBehind()
  const begun = performance.now()
  const elapsed = () => (performance.now() - begun) / 1000
  const plans = [
    ...world === undefined ? [] : [world], ...kept ? KEPT.map(({ plan }) => plan) : [], ...seeds.map(databasePlanOf)
  ]
  let [run, failed, answers, longest] = [0, 0, 0, 0]
  for (const plan of plans) {
    if (elapsed() > seconds) break
    if (isPrinted) console.log(JSON.stringify(plan))
    const outcome = await runDatabaseWorld(plan)
    run++
    answers += Object.values(outcome.answers).reduce((sum, count) => sum + count, 0)
    longest = Math.max(longest, outcome.wholeAfter ?? 0)
    if (isPrinted) {
      console.log(
      `${Math.round(outcome.seconds)} s, whole after ${outcome.wholeAfter?.toFixed(1)} s, ` +
        `answers ${JSON.stringify(outcome.answers)}`
      )
    }
    if (outcome.failure !== undefined) {
      failed++
      const { second, rule, expected, served } = outcome.failure
      console.log(
        `seed ${plan.seed}, second ${second}: ${rule}\n  expected ${expected}\n  served   ${served}\n` +
          `  ${JSON.stringify(plan)}\n${outcome.lines.map(line => `  ${line}`).join('\n')}`
      )
      if (first) break
    }
    if (process.stderr.isTTY) {
      process.stderr.write(`\r${run} of ${plans.length} worlds, ${failed} failed, ${Math.round(elapsed())} s `)
    }
  }
  console.log(
    `\n${run} worlds, ${failed} failed, in ${Math.round(elapsed())} s; ${answers} answers; ` +
      `whole ${longest.toFixed(1)} s after the weather at the latest`
  )
  return failed === 0
}
