/**
 * The built service as `npm start` runs it, beside a simulated node of one's own: how long the history takes, what CPU
 * and memory it needs for that, and what it holds under load afterwards. Against a reference that takes turns with it:
 * the same with Node's own ways of collecting garbage, or another version of this project.
 *
 * `npm run build && npm run bench -- indexing [--swaps 20000] [--daos 20] [--days 30] [--rounds 3]
 * [--against ../of-before] [--no-reference]`
 */
import { spawnMarket } from '../simulator/spawn.js'
import { HOME, startArguments, startBuilt } from './support/built-service.js'
import { median } from './support/measure.js'
import { options } from './support/run.js'
import { settingsOf } from './support/settings.js'

const values = options({
  swaps: 20_000,
  daos: 20,
  days: 30,
  rounds: 3,
  // a folder with another version, installed and built
  against: '',
  'no-reference': false,
  // seconds of load after indexing
  load: 5
})
const CONNECTIONS = 16
// those that every version has
const PATHS = ['/api/tickers', '/health', '/api/daos', '/ready', '/']

interface Run { ms: number, cpu: number, indexed: number, underLoad: number, requests: number }

const chain = await spawnMarket(
  '--live', '--daos', String(values.daos), '--swaps', String(values.swaps), '--days', String(values.days),
  ...(values.against === '' ? [] : ['--version-one', '0'])
)

/** Requests over kept connections for so long; how many were answered. */
async function load (url: string, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  let answered = 0
  await Promise.all(Array.from({ length: CONNECTIONS }, async (_, at) => {
    for (let i = at; performance.now() < end; i++) {
      const answer = await fetch(url + PATHS[i % PATHS.length])
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`status ${answer.status}`)
      answered++
    }
  }))
  return answered
}

async function run (folder: string, args: string[]): Promise<Run> {
  const service = await startBuilt({
    ...settingsOf(chain.url, chain.program),
    ROUTER_ADDRESS: chain.router,
    RATE_LIMIT_MAX: '1000000000',
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    PROTOCOL_FEE_RATE: '0.005',
    CHAIN_RPC_RATE: '100000'
  }, { folder, args })
  try {
    const begun = performance.now() - service.startMs
    await service.complete()
    const [ms, cpu, indexed] = [performance.now() - begun, service.cpuMs(), service.megabytes().now]
    const requests = await load(service.url, values.load)
    return { ms, cpu, indexed, underLoad: service.megabytes().now, requests }
  } finally {
    await service.stop()
  }
}

const own = startArguments(HOME)
const reference = values['no-reference']
  ? undefined
  : values.against === ''
    ? {
        name: 'with Node\'s own collection of garbage',
        folder: HOME,
        args: own.filter(argument => !argument.startsWith('--'))
      }
    : { name: `of ${values.against}`, folder: values.against, args: startArguments(values.against) }
const [ours, theirs]: [Run[], Run[]] = [[], []]
try {
  for (let round = 0; round < values.rounds; round++) {
    const turns = [
      async () => { ours.push(await run(HOME, own)) },
      async () => { if (reference !== undefined) theirs.push(await run(reference.folder, reference.args)) }
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
  }
} finally {
  await chain.stop()
}
const tell = (name: string, runs: Run[]): void => {
  const of = (key: keyof Run) => Math.round(median(runs.map(run => run[key])))
  console.log(
    `${name}: ${chain.swaps} swaps complete in ${of('ms')} ms, ${of('cpu')} ms of CPU; ${of('indexed')} MB resident ` +
      `then, ${of('underLoad')} MB under load (${of('requests')} requests in ${values.load} s)`
  )
}
tell('the service', ours)
if (reference !== undefined) {
  tell(`the service ${reference.name}`, theirs)
  const ratio = (key: keyof Run) => median(ours.map((run, at) => theirs[at]![key] / run[key])).toFixed(2)
  console.log(
    `median of ${ours.length}: rate ${ratio('ms')} of the reference's, ` +
      `CPU ${(1 / Number(ratio('cpu'))).toFixed(2)}, memory under load ${(1 / Number(ratio('underLoad'))).toFixed(2)}`
  )
}
