/** Runs one world of several processes on one database in real time, holding every answer against the ledger. */
import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '../../../../simulator/index.js'
import { createChecks } from './checks.js'
import { createClients } from './clients.js'
import { becomesWhole } from './fair.js'
import { createLimited, isLimited } from './limited.js'
import { createLink } from '../../../support/link.js'
import { createLateness } from './machine.js'
import { createPlace, type Place } from './place.js'
import type { DatabaseEvent, DatabasePlan, Ill, Setting } from './plan.js'
import { type Scene, setScene } from './scene.js'
import { createProcess, type Process } from './service.js'
import { type Failure, Violation } from './violation.js'
import { createWeather } from './weather.js'

export interface Outcome {
  failure?: Failure
  seconds: number
  /** After the weather, until all was whole. */
  wholeAfter?: number
  answers: Record<string, number>
  /** The last lines of each process, where a rule was broken. */
  lines: string[]
}

const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
const WRITERS_MS = 200
/** Sessions that write one after the other: without a cause, and for each that there is. */
const WRITERS = 2
const WRITERS_EACH = 3
const LISTENING_MS = 100
/** Printed of each process. */
const LINES = 14
const UNCAUGHT = 'an error that nothing caught'
const TORN = /the rate limit is (not )?shared/

const environment = (plan: DatabasePlan, { ledger, nodes }: Scene, place: Place) => (
  { setting, database, counts }: Pick<Process, 'setting' | 'database' | 'counts'>
): Record<string, string> => ({
  CHAIN_RPC_URL: nodes.map(({ node }) => node.url).join(),
  CHAIN_WS_URL: nodes[0]!.node.wsUrl,
  FACTORY_ADDRESS: ledger.program,
  ROUTER_ADDRESS: ROUTER,
  PROTOCOL_FEE_RATE: '0.005',
  DATABASE_URL: place.postgresUrl(database.port),
  ...counts !== undefined && { REDIS_URL: place.redisUrl(counts.port) },
  ROLE: setting.role,
  VOLUME_BASIS: setting.basis,
  STALE_IF_ERROR: String(plan.stale),
  RATE_LIMIT_MAX: String(setting.limit),
  RATE_LIMIT_ALLOW: '127.0.0.1',
  TRUST_PROXY: '127.0.0.1'
})

/** A line of the log as it is printed; undefined for what a request met. */
function shortOf (line: string): string | undefined {
  if (line.includes('"reqId"')) return undefined
  const [, time, message = line] = /"time":(\d+).*"msg":"(.*)"}$/.exec(line) ?? []
  return `${time === undefined ? '' : new Date(Number(time)).toISOString().slice(14, 23)} ${message.slice(0, 300)}`
}

export async function runDatabaseWorld (plan: DatabasePlan): Promise<Outcome> {
  const place = await createPlace()
  const scene = await setScene(plan)
  const { now } = scene
  const random = createRandom(plan.seed + 1_000_003)
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const processes: Process[] = []
  const outcome: Outcome = { seconds: 0, answers: {}, lines: [] }
  let broken: Violation | undefined
  const env = environment(plan, scene, place)
  const onLine = (line: string) => {
    if (TORN.test(line)) limited.torn()
    if (line.includes(UNCAUGHT)) end(new Violation('log', 'no error that nothing caught', line))
  }
  for (const [index, setting] of plan.processes.entries()) {
    const database = await createLink(place.postgres)
    const counts = plan.redis ? await createLink(place.redis) : undefined
    processes.push(createProcess({ index, database, counts, setting, env, now, onLine }))
  }
  const weather = createWeather(scene, place, processes)
  const lateness = createLateness(now)
  const checks = createChecks(plan, scene, lateness)
  const clients = createClients(plan, scene, processes, checks, lateness, random)
  const limited = createLimited(plan, processes, clients)

  function end (why?: unknown): void {
    if (why !== undefined && !(why instanceof Violation)) throw why
    broken ??= why
    over.abort()
  }

  /** Less where the world ends before. */
  const pause = async (ms: number): Promise<void> => {
    await wait(ms, undefined, { signal: over.signal }).catch(() => {})
  }

  async function happen (event: DatabaseEvent): Promise<void> {
    if ('cut' in event) await place.cut()
    else if ('clock' in event) processes[event.process]!.step(event.clock)
    else if ('chain' in event) scene.act(event.chain)
    else await suffer(event)
  }

  async function suffer (ill: Ill): Promise<void> {
    const cure = await weather.begin(ill)
    await pause(ill.for * 1000)
    await cure()
    if (ill.ill === 'killed' || ill.ill === 'stopped') limited.started()
  }

  /** Everything happens at its time; resolves once what was wrong is so no more. */
  async function live (): Promise<void> {
    while (plan.up && !over.signal.aborted && processes.some(({ life: { url } }) => url === undefined)) {
      await pause(LISTENING_MS)
    }
    const ending = pause(plan.weather * 1000)
    await Promise.all(plan.events.map(async event => {
      await pause(event.at * 1000)
      if (!over.signal.aborted) await happen(event)
    }))
    await ending
  }

  async function watchWriters (): Promise<void> {
    while (!over.signal.aborted && !await place.noteWriters().catch(() => false)) await pause(WRITERS_MS)
  }

  async function checkWriters (): Promise<void> {
    const writers = await place.writers()
    if (writers.length === 0) throw new Violation('writers', 'a session that writes', 'none')
    if (new Set(writers).size !== writers.length) {
      throw new Violation('writers', 'no session that writes again after another has', writers.join())
    }
    const causes = plan.events.filter(
      event => 'cut' in event || ('ill' in event && ['database', 'paused', 'killed', 'stopped'].includes(event.ill))
    ).length
    const most = WRITERS + WRITERS_EACH * causes
    if (writers.length > most) throw new Violation('writers', `${most} sessions at most`, String(writers.length))
  }

  /** Those with another basis than at the beginning get that one back: of two, one can't show the sums of the other. */
  async function agree (): Promise<void> {
    await Promise.all(processes.map(async process => {
      const setting: Setting = { ...process.setting, basis: plan.processes[process.index]!.basis }
      if (process.setting.basis === setting.basis) return
      await process.stop()
      process.start(setting)
    }))
  }

  async function unfold (): Promise<void> {
    await live()
    scene.settle()
    if (!over.signal.aborted) await agree()
    if (!over.signal.aborted) outcome.wholeAfter = await becomesWhole(scene, processes, clients, checks, over.signal)
    if (!over.signal.aborted) await checkWriters()
    over.abort()
  }

  for (const process of processes) process.start(process.setting)
  const work = [
    watchWriters(), clients.run(over.signal), unfold(), ...isLimited(plan) ? [limited.run(over.signal)] : []
  ].map(async work => await work.catch(end))
  try {
    await Promise.all(work)
  } finally {
    outcome.seconds = now() / 1000
    if (broken !== undefined) {
      const { rule, expected, served } = broken
      outcome.failure = { second: Math.round(now() / 1000), rule, expected, served }
      outcome.lines = processes.flatMap(process =>
        process.lines().flatMap(line => shortOf(line) ?? []).slice(-LINES).map(line => `${process.index}: ${line}`))
    }
    over.abort()
    await Promise.all(processes.map(async process => await process.close()))
    await scene.close()
    await place.drop()
  }
  outcome.answers = clients.answers
  return outcome
}
