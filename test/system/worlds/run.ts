/**
 * Worlds from seeds: `npm run worlds -- --seeds 1-1000`. A failure prints seed, second, rule, expected and served, and
 * a smaller world that still fails. `--plan` prints what happens in a world, `--kept` runs those that once failed,
 * `--seconds` ends after a while, `--first` at the first failure; `--world` runs one that was printed, or a list of
 * them; `--defects` shows which of the defects known the worlds find. `--database`: worlds of several processes on one
 * PostgreSQL, in real time, about 40 s each; they are not made smaller; `--built` runs dist/ as it stands. `--jobs 2`
 * runs the worlds in two processes side by side; `--share 1/2` only every second of them, from the first on.
 */
import { readCommandLine, refuse } from '../../../scripts/command-line.js'
import type { DatabasePlan } from './database/plan.js'
import type { Tally } from './jobs.js'
import type { Plan } from './plan.js'

const { values } = readCommandLine(
  'npm run worlds -- [--seeds 1-20] [--world PLAN] [--kept] [--plan] [--first] [--no-shrink] [--seconds N] ' +
    '[--jobs N] [--share 1/N] [--defects [--only NAME]] [--database [--built]]',
  {
    seeds: { type: 'string' },
    plan: { type: 'boolean', default: false },
    world: { type: 'string' },
    kept: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    'no-shrink': { type: 'boolean', default: false },
    seconds: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    share: { type: 'string', default: '1/1' },
    defects: { type: 'boolean', default: false },
    only: { type: 'string' },
    database: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false }
  }
)
if (values.seeds !== undefined && !/^\d+(-\d+)?$/.test(values.seeds)) {
  refuse(`--seeds ${values.seeds}: a number, or two with a hyphen, such as 1-20`)
}
if (values.seconds !== undefined && !(Number(values.seconds) > 0)) {
  refuse(`--seconds ${values.seconds}: a number above 0`)
}
if (!/^[1-9]\d?$/.test(values.jobs)) refuse(`--jobs ${values.jobs}: a number from 1 to 99`)
const [share, shares] = values.share.split('/').map(Number) as [number, number]
if (!/^\d+\/\d+$/.test(values.share) || share < 1 || share > shares) {
  refuse(`--share ${values.share}: two numbers, such as 1/2`)
}
function readPlan<P> (text: string): P {
  try {
    return JSON.parse(text) as P
  } catch {
    return refuse('--world: a world as it is printed, in JSON')
  }
}
if (values.defects) {
  const { runDefects } = await import('./defects/run.js')
  process.exit(runDefects(values.seeds ?? '1-500', values.only, Number(values.seconds ?? 1800)) ? 0 : 1)
}
const [first = 1, last = first] = (values.seeds ?? (values.kept || values.world !== undefined
  ? '1-0'
  : values.database ? '1-3' : '1-20')).split('-').map(Number)
const seeds = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
if (values.database) {
  const { runDatabaseWorlds } = await import('./database/run.js')
  const world = values.world === undefined ? undefined : readPlan<DatabasePlan>(values.world)
  process.exit(await runDatabaseWorlds({
    seeds,
    world,
    kept: values.kept,
    plan: values.plan,
    first: values.first,
    built: values.built,
    seconds: Number(values.seconds ?? Infinity)
  })
    ? 0
    : 1)
}

const { NONE, runJobs, sum, tell } = await import('./jobs.js')
/** Of this process, or of all. */
let tally: Tally = NONE

/** The last line, and whether all is well. */
function finish (seconds: number): never {
  const { run, failed, doubtful, answers, served, simulated } = tally
  if (values.share === '1/1') {
    const ended = doubtful === 0 ? '' : `, ${doubtful} ended where two witnesses of the time were wrong`
    const took = `${(simulated / 3600).toFixed(1)} h simulated in ${Math.round(seconds)} s`
    console.log(`\n${run} worlds, ${failed} failed${ended}; ${took}; ${answers} answers, ${served} of them 200`)
  }
  process.exit(failed === 0 ? 0 : 1)
}

function showProgress ({ run, failed, simulated }: Tally, of: number, seconds: number): void {
  if (process.stderr.isTTY && values.share === '1/1') {
    process.stderr.write(
    `\r${run} of ${of} worlds, ${failed} failed, ${Math.round(simulated / 3600)} h simulated ` +
      `in ${Math.round(seconds)} s `
    )
  }
}

const { KEPT } = await import('./kept.js')
const { planOf } = await import('./plan.js')
/** Those whose truth is known: nothing about them is in doubt. */
const known = [
  ...values.world === undefined ? [] : [readPlan<Plan | Plan[]>(values.world)].flat(),
  ...values.kept ? KEPT.map(({ plan }) => plan) : []
]
const plans = [...known, ...seeds.map(planOf)]
  .filter((_, at) => at % shares === share - 1)

if (Number(values.jobs) > 1) {
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  const args = process.argv.slice(2)
  args.splice(args.findIndex(arg => arg.startsWith('--jobs')), args.includes('--jobs') ? 2 : 1)
  tally = await runJobs(
    Number(values.jobs),
    args,
    ({ failed }) => values.first && failed > 0,
    all => showProgress(all, plans.length, seconds())
  )
  finish(seconds())
}

const { startWatchdog } = await import('./watchdog.js')
const watchdog = startWatchdog()
const { onTurn, realNow } = await import('./simulated-time.js')
onTurn(watchdog.beat)
const { runWorld } = await import('./world.js')
const { shrink } = await import('./shrink.js')

const begun = realNow()
const seconds = () => (realNow() - begun) / 1000
for (const plan of plans) {
  if (values.seconds !== undefined && seconds() > Number(values.seconds)) break
  if (values.plan) console.log(JSON.stringify(plan, null, 1))
  watchdog.world(plan.seed)
  const outcome = await runWorld(plan)
  const failure = outcome.failure ?? (known.includes(plan) ? outcome.doubtful : undefined)
  tally = sum(tally, {
    run: 1,
    failed: Number(failure !== undefined),
    doubtful: Number(failure === undefined && outcome.doubtful !== undefined),
    answers: outcome.answers,
    served: outcome.served,
    simulated: outcome.seconds
  })
  if (failure !== undefined) {
    const { second, rule, expected, served } = failure
    console.log(`seed ${plan.seed}, second ${second}: ${rule}\n  expected ${expected}\n  served   ${served}`)
    if (values.first) {
      await tell(tally)
      break
    }
    if (!values['no-shrink']) {
      const smaller = await shrink(plan, failure)
      console.log(
        `  a world of ${smaller.events.length} of ${plan.events.length} events fails the same way:\n` +
          `  ${JSON.stringify(smaller)}`
      )
    }
  }
  await tell(tally)
  showProgress(tally, plans.length, seconds())
}
finish(seconds())
