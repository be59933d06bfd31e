/**
 * Worlds from seeds: `npm run worlds -- --seeds 1-1000`. A failure prints seed, second, rule, expected and served, and a smaller world
 * that still fails. `--plan` prints what happens in a world, `--kept` runs those that once failed, `--seconds` ends after a while, `--first`
 * at the first failure; `--world` runs one that was printed; `--defects` shows which of the defects known the worlds find. `--database`: worlds of
 * several processes on one PostgreSQL, in real time, about 40 s each; they are not made smaller;
 * `--built` runs dist/ as it stands.
 */
import { readCommandLine, refuse } from '../../../scripts/command-line.js'
import type { DatabasePlan } from './database/plan.js'
import type { Plan } from './plan.js'

const { values } = readCommandLine('npm run worlds -- [--seeds 1-20] [--world PLAN] [--kept] [--plan] [--first] [--no-shrink] [--seconds N] [--defects [--only NAME]] [--database [--built]]', {
  seeds: { type: 'string' },
  plan: { type: 'boolean', default: false },
  world: { type: 'string' },
  kept: { type: 'boolean', default: false },
  first: { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
  seconds: { type: 'string' },
  defects: { type: 'boolean', default: false },
  only: { type: 'string' },
  database: { type: 'boolean', default: false },
  built: { type: 'boolean', default: false }
})
if (values.seeds !== undefined && !/^\d+(-\d+)?$/.test(values.seeds)) refuse(`--seeds ${values.seeds}: a number, or two with a hyphen, such as 1-20`)
if (values.seconds !== undefined && !(Number(values.seconds) > 0)) refuse(`--seconds ${values.seconds}: a number above 0`)
function readPlan<P> (text: string): P {
  try {
    return JSON.parse(text) as P
  } catch {
    return refuse('--world: a world as it is printed, in JSON')
  }
}
if (values.defects) {
  const { runDefects } = await import('./defects/run.js')
  process.exit(runDefects(values.seeds ?? '1-500', values.only) ? 0 : 1)
}
const [first = 1, last = first] = (values.seeds ?? (values.kept || values.world !== undefined ? '1-0' : values.database ? '1-3' : '1-20')).split('-').map(Number)
const seeds = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
if (values.database) {
  const { runDatabaseWorlds } = await import('./database/run.js')
  const world = values.world === undefined ? undefined : readPlan<DatabasePlan>(values.world)
  process.exit(await runDatabaseWorlds({ seeds, world, kept: values.kept, plan: values.plan, first: values.first, built: values.built, seconds: Number(values.seconds ?? Infinity) }) ? 0 : 1)
}

const { startWatchdog } = await import('./watchdog.js')
const watchdog = startWatchdog()
const { onTurn, realNow } = await import('./simulated-time.js')
onTurn(watchdog.beat)
const { runWorld } = await import('./world.js')
const { planOf } = await import('./plan.js')
const { shrink } = await import('./shrink.js')
const { KEPT } = await import('./kept.js')

const plans = [...values.world === undefined ? [] : [readPlan<Plan>(values.world)], ...values.kept ? KEPT.map(({ plan }) => plan) : [], ...seeds.map(planOf)]
const begun = realNow()
const seconds = () => (realNow() - begun) / 1000
let [run, failed, answers, served, simulated] = [0, 0, 0, 0, 0]
for (const plan of plans) {
  if (values.seconds !== undefined && seconds() > Number(values.seconds)) break
  if (values.plan) console.log(JSON.stringify(plan, null, 1))
  watchdog.world(plan.seed)
  const outcome = await runWorld(plan)
  run++
  answers += outcome.answers
  served += outcome.served
  simulated += outcome.seconds
  if (outcome.failure !== undefined) {
    failed++
    const { second, rule, expected, served } = outcome.failure
    console.log(`seed ${plan.seed}, second ${second}: ${rule}\n  expected ${expected}\n  served   ${served}`)
    if (values.first) break
    if (!values['no-shrink']) {
      const smaller = await shrink(plan, outcome.failure)
      console.log(`  a world of ${smaller.events.length} of ${plan.events.length} events fails the same way:\n  ${JSON.stringify(smaller)}`)
    }
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${run} of ${plans.length} worlds, ${failed} failed, ${Math.round(simulated / 3600)} h simulated in ${Math.round(seconds())} s `)
}
console.log(`\n${run} worlds, ${failed} failed; ${(simulated / 3600).toFixed(1)} h simulated in ${Math.round(seconds())} s; ${answers} answers, ${served} of them 200`)
process.exit(failed === 0 ? 0 : 1)
