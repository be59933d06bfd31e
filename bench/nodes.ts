/**
 * The whole service on nodes that limit their callers, from an empty store: when the first list is there, against the
 * time that the limit allows for the transactions of its day; what becomes of `/api/tickers`, asked every second, while
 * the past is read back for `--seconds` more; and the calls accepted of those that the limit allows, and refused, after
 * the first ten seconds.
 *
 * `npm run bench -- nodes [--seconds 120] [--only 'a part of the name'] [--calls] [--busy]`
 *
 * In simulated time, which takes seconds. `--calls`: calls by method up to the first list, and after it. `--busy`: a
 * client asks for the supply and the record of each DAO every second, too; a column says what it gets.
 */
import { createLedger, type Ledger } from '../simulator/index.js'
import { NODE_KINDS } from '../simulator/kinds.js'
import type { Limits } from '../simulator/limits.js'
import { createNodeService } from '../simulator/service.js'
import { createNetwork } from '../test/system/worlds/network.js'
import { installSimulatedTime, realSleep } from '../test/system/worlds/simulated-time.js'
import { options, scratchFolder } from './support/run.js'
import { settingsOf } from './support/settings.js'

const { seconds: more, only, calls, busy } = options({ seconds: 120, only: '', calls: false, busy: false })
const DAY = 86_400
const FIRST_MS = 10_000
const LATENCY_MS = 50
/** 2026-11-02 00:00 UTC. */
const SIMULATED_NOW = 1_793_577_600

interface Kind { name: string, limits: Limits, perSecond: number, today: number, method?: string }

const curt = (calls: number): Limits => ({
  refusal: 'http-429', retryAfter: null, headers: false, batch: 'member', rules: [{ calls, windowMs: 1_000 }]
})
const silent = (limits: Limits): Limits => ({ ...limits, headers: false })

const OF_TRANSACTIONS = { today: 373, method: 'getTransaction' }
/** `perSecond`: calls of `method`, or in all, that the limit lets through. */
const KINDS: Kind[] = [
  { name: 'public node as measured', limits: NODE_KINDS.public.limits, perSecond: 1, ...OF_TRANSACTIONS },
  { name: 'the same, without headers', limits: silent(NODE_KINDS.public.limits), perSecond: 1, ...OF_TRANSACTIONS },
  { name: 'public node as documented', limits: NODE_KINDS.documented.limits, perSecond: 4, ...OF_TRANSACTIONS },
  { name: '10 a second, no Retry-After', limits: curt(10), perSecond: 10, today: 373 },
  { name: '50 a second', limits: curt(50), perSecond: 50, today: 2_000 },
  { name: '200 a second', limits: curt(200), perSecond: 200, today: 8_000 }
]

const time = installSimulatedTime()

/**
 * A chain of 20 DAOs with `today` transactions within its last day, and before them enough for the whole measurement.
 */
function build ({ today, perSecond }: Kind): Ledger {
  const older = Math.ceil(perSecond * (more + 60)) + 100
  const begin = Math.floor(SIMULATED_NOW - (older / today + 1) * DAY)
  const ledger = createLedger({ seed: 1, time: begin, keepSwaps: false })
  const usdc = ledger.usdc()
  const daos = Array.from({ length: 20 }, (_, at) => ledger.dao(
    { base: ledger.mint({ symbol: `T${at}` }), quote: usdc, quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  ))
  for (let at = 0; at < older + today; at++) {
    ledger.advance(DAY / today)
    daos[at % daos.length]!.swap(at % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_000 + at))
  }
  ledger.advance(Math.max(0, SIMULATED_NOW - ledger.time))
  return ledger
}

const envOf = (ledger: Ledger, url: string): Record<string, string> => ({
  ...settingsOf(url, ledger.program),
  PROTOCOL_FEE_RATE: '0.005',
  DATA_DIR: scratchFolder(),
  RATE_LIMIT_ALLOW: '127.0.0.1',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
  NODE_ENV: 'test'
})

/** The chain goes on, with as many trades a day as before. */
function follow (ledger: Ledger, today: number): (ms: number) => void {
  let [moved, traded] = [0, 0]
  return now => {
    if (now - moved < 400) return
    ledger.advance((now - moved) / 1000)
    moved = now
    if (now - traded < DAY * 1000 / today) return
    traded = now
    ledger.daos[0]!.swap('buy', BigInt(1_000_000 + Math.floor(now)))
  }
}

async function simulate ({ limits, today }: Kind, ledger: Ledger) {
  const [
    { default: Fastify }, { default: fp }, { default: application, serverOptions }
  ] = await Promise.all([import('fastify'), import('fastify-plugin'), import('../app.js')])
  let state = 1
  const random = (): number => { state = (state * 48271) % 2147483647; return state / 2147483647 }
  const network = createNetwork(random)
  time.reset({ epoch: ledger.time * 1000, random })
  const service = createNodeService(ledger, { now: () => time.now(), limits })
  network.hosts.set('node.test', { service, latencyMs: LATENCY_MS, down: false })
  time.onMove = follow(ledger, today)
  const env = envOf(ledger, 'http://node.test')
  const app = Fastify({ ...serverOptions(env), logger: env.LOG_LEVEL === 'silent' ? false : { level: env.LOG_LEVEL! } })
  await app.register(fp(application), {
    env, transport: { connections: network }, bounds: { delay: Infinity, heapBytes: Infinity, residentBytes: Infinity }
  })
  const loading = { isOver: false }
  const ready = Promise.resolve(app.ready()).finally(() => { loading.isOver = true })
  // Modules are read from the disk in real time.
  for (let turn = 0; !loading.isOver; turn++) {
    await realSleep(1)
    if (turn > 5000) await time.advance(100)
  }
  await ready
  const begun = time.now()
  const ask = async (url: string) => (await app.inject({ url, remoteAddress: '127.0.0.1' })).statusCode
  return {
    ask,
    limiter: service.limiter,
    /** Milliseconds since the service was started. */
    now: () => time.now() - begun,
    sleep: async (ms: number) => { await time.advance(ms) },
    status: (url: string) => time.until(ask(url), 60_000),
    async close () {
      await time.until(app.close(), 60_000)
    }
  }
}

const total = (counts: Record<string, number>, method: string | undefined): number =>
  method === undefined ? Object.values(counts).reduce((sum, count) => sum + count, 0) : counts[method] ?? 0
const list = (counts: Record<string, number>, before: Record<string, number> = {}): string =>
  Object.entries(counts).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
    .filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`).join(', ') || 'none'
const percent = (part: number, whole: number): string => `${(part / whole * 100).toFixed(1)} %`

async function measure (kind: Kind): Promise<string> {
  const { name, perSecond, today, method } = kind
  const ledger = build(kind)
  const stage = await simulate(kind, ledger)
  const { limiter } = stage
  const statuses = new Map<number, number>()
  const ofRecords = new Map<number, number>()
  const count = (of: Map<number, number>, status: number) => { of.set(status, (of.get(status) ?? 0) + 1) }
  let askedAt = -Infinity
  function askForRecords (): void {
    if (!busy || stage.now() - askedAt < 1_000) return
    askedAt = stage.now()
    for (const { address, base } of ledger.daos) {
      for (const url of [`/api/supply/${base.address}`, `/api/daos/${address}`]) {
        stage.ask(url).then(status => count(ofRecords, status), () => {})
      }
    }
  }
  let first: number | undefined
  let atFirst: { accepted: Record<string, number>, refused: Record<string, number> } | undefined
  let from: { ms: number, accepted: number, all: number, refused: number } | undefined
  while (first === undefined || stage.now() < first + more * 1000) {
    askForRecords()
    const status = await stage.status('/api/tickers')
    if (first !== undefined) count(statuses, status)
    else if (status === 200) {
      first = stage.now()
      atFirst = { accepted: { ...limiter.accepted }, refused: { ...limiter.refused } }
    }
    if (from === undefined && stage.now() >= FIRST_MS) {
      from = {
        ms: stage.now(), accepted: total(limiter.accepted, method), all: limiter.total, refused: limiter.totalRefused
      }
    }
    // before the list is there it is asked for more often, so that its moment is known
    await stage.sleep(first === undefined ? 100 : 1000 - stage.now() % 1000)
  }
  const seconds = (stage.now() - from!.ms) / 1000
  const accepted = total(limiter.accepted, method) - from!.accepted
  const refused = limiter.totalRefused - from!.refused
  const all = limiter.total - from!.all
  const ideal = today / perSecond
  if (calls) {
    console.log(`${name}\n  to the list: ${list(atFirst!.accepted)}; refused: ${list(atFirst!.refused)}`)
    console.log(
      `  after it:    ${list(limiter.accepted, atFirst!.accepted)}; refused: ${list(limiter.refused, atFirst!.refused)}`
    )
  }
  await stage.close()
  const told = (of: Map<number, number>) => Array.from(of, ([status, count]) => `${status}: ${count}`).join(', ')
  return `| ${[
    name, today, `${ideal.toFixed(1)} s`, `${(first / 1000).toFixed(1)} s`, (first / 1000 / ideal).toFixed(2),
    percent(accepted, perSecond * seconds), percent(refused, all + refused), told(statuses),
    ...busy ? [told(ofRecords)] : []
  ].join(' | ')} |`
}

const [column, line] = busy ? [' supplies and DAOs |', '---|'] : ['', '']
console.log(
  '| Limit | transactions of the day | ideal | first list | ÷ ideal | accepted of what it allows | refused | ' +
    `/api/tickers after it |${column}\n|---|---|---|---|---|---|---|---|${line}`
)
for (const kind of KINDS.filter(({ name }) => name.includes(only))) console.log(await measure(kind))
process.exit()
