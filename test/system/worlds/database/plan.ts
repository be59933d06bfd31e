/**
 * A world of several processes on one database, in real time, as plain data made of a seed: it can be printed and run
 * again.
 */
import { createRandom } from '../../../../simulator/index.js'
import type { ChainAction } from '../plan.js'

/** What a process is started with. `skew`: by how much its wall clock is wrong, ms. */
export interface Setting { role: 'all' | 'api' | 'indexer', basis: 'input' | 'fees', limit: number, skew: number }

/** A link that is no good. */
type Broken = 'reset' | 'silent' | 'slow'

/** Of a process, or of all where none is named. */
type Whose = { process?: number }

/** What is wrong for so many seconds from `at` on. */
export type Ill = { at: number, for: number } & (
  /** `closed`: the server lets nobody in and ends who is there; the rest happens on the way to it. */
  | { ill: 'database', how: 'closed' }
  | { ill: 'database', how: Broken } & Whose
  | { ill: 'redis', how: Broken } & Whose
  /** SIGSTOP, then SIGCONT. */
  | { ill: 'paused', process: number }
  /** SIGKILL or SIGTERM, and started anew, with other settings where they are given. */
  | { ill: 'killed' | 'stopped', process: number, setting?: Partial<Setting> }
  | { ill: 'node', node: number, how: 'down' | 'frozen' | 'slow' }
  | {
    ill: 'node'
    node: number
    how: 'fault'
    rule: { kind: string, method?: string, value?: unknown, times?: number }
  }
  | { ill: 'halt' })

export type DatabaseEvent = Ill
  /** The server ends every connection. */
  | { at: number, cut: true }
  | { at: number, clock: number, process: number }
  | { at: number, chain: ChainAction }

export interface DatabasePlan {
  seed: number
  processes: Setting[]
  nodes: number
  finalityLag: number
  bulk: boolean
  daos: number
  past: { days: number, swaps: number }
  /** STALE_IF_ERROR, s. */
  stale: number
  redis: boolean
  /** The weather begins once all processes listen, not with them. */
  up: boolean
  /** Seconds of weather, and between two swaps on average. */
  weather: number
  every: number
  events: DatabaseEvent[]
}

const ACTIONS: readonly ChainAction[] = [
  'born', 'launch', 'finalize', 'collect', 'burst', 'forged', 'liquidity', 'fees'
]
const METHODS = [
  'getSignaturesForAddress', 'getTransaction', 'getProgramAccounts', 'getMultipleAccounts', 'getSlot', undefined
] as const
const SKEWS = [-3_600_000, -90_000, -3_000, 3_000, 90_000, 3_600_000] as const
/** The first may always index, so that somebody does. */
const INDEXING = ['all', 'all', 'indexer'] as const
const ROLES = ['all', 'all', 'api', 'indexer'] as const

/** The world of a seed. */
export function databasePlanOf (seed: number): DatabasePlan {
  const random = createRandom(seed * 6151 + 29)
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!
  const oneIn = (of: number): boolean => random.int(of) === 0
  const weather = 14 + random.int(10)
  const nodes = pick([1, 1, 2])
  const basis = oneIn(4) ? 'fees' : 'input'
  const isSkewed = oneIn(2)
  const skew = () => isSkewed && oneIn(2) ? pick(SKEWS) : 0
  const processes: Setting[] = Array.from(
    { length: pick([2, 3, 3, 4]) },
    (_, at) => ({ role: pick(at === 0 ? INDEXING : ROLES), basis, limit: 30, skew: skew() })
  )
  const process = () => random.int(processes.length)
  const whose = (): Whose => oneIn(2) ? {} : { process: process() }
  const redis = oneIn(2)

  const fault = (): { kind: string, method?: string, value?: unknown, times?: number } => {
    const method = pick(METHODS)
    return pick([
      ...[
        { kind: 'refuse' }, { kind: 'reset' }, { kind: 'hang' }, { kind: 'status', value: 503 },
        { kind: 'rate-limit', value: 1 }, { kind: 'rpc-error', value: -32005 }, { kind: 'truncated' }
      ]
        .map(rule => ({ ...rule, ...method !== undefined && { method } })),
      { kind: 'null-transaction', times: 1 + random.int(20) },
      { kind: 'skipped-signatures', value: 2 + random.int(4) },
      { kind: 'short-page', method: 'getSignaturesForAddress' }
    ])
  }
  /** Another role or basis; the first process stays one that may index. */
  function other (at: number): { setting?: Partial<Setting> } {
    switch (random.int(4)) {
      case 0: return { setting: { role: pick(at === 0 ? INDEXING : ROLES) } }
      case 1: return { setting: { basis: basis === 'fees' ? 'input' : 'fees' } }
      case 2: return { setting: { limit: pick([20, 60]), skew: skew() } }
      default: return {}
    }
  }
  function ill (at: number): Ill {
    const when = { at, for: 2 + random.int(oneIn(3) ? 14 : 6) }
    const one = process()
    switch (random.int(12)) {
      case 0: return { ...when, ill: 'database', how: 'closed' }
      case 1:
      case 2: return { ...when, ill: 'database', how: pick(['reset', 'silent', 'slow']), ...whose() }
      case 3: return redis
        ? {
            ...when, ill: 'redis', how: pick(['reset', 'silent', 'slow']), ...whose()
          }
        : { ...when, ill: 'halt' }
      case 4:
      case 5: return { ...when, ill: 'paused', process: one }
      case 6:
      case 7: return { ...when, ill: 'killed', process: one, ...other(one) }
      case 8:
      case 9: return { ...when, ill: 'stopped', process: one, ...other(one) }
      case 10: return { ...when, ill: 'node', node: random.int(nodes), how: pick(['down', 'frozen', 'slow']) }
      default: return { ...when, ill: 'node', node: random.int(nodes), how: 'fault', rule: fault() }
    }
  }

  const events: DatabaseEvent[] = Array.from(
    { length: 2 + random.int(5) }, () => ill(oneIn(5) ? 0 : random.int(weather - 3))
  )
  if (oneIn(2)) events.push({ at: random.int(weather), cut: true })
  if (isSkewed && oneIn(2)) events.push({ at: random.int(weather), clock: pick(SKEWS), process: process() })
  for (let actions = random.int(6); actions > 0; actions--) {
    events.push({ at: random.int(weather), chain: pick(ACTIONS) })
  }
  return {
    seed,
    processes,
    nodes,
    finalityLag: pick([0, 1, 8]),
    bulk: oneIn(3),
    daos: 2 + random.int(3),
    past: { days: pick([1, 1, 2]), swaps: 30 + random.int(120) },
    stale: pick([0, 3, 10]),
    redis,
    up: !oneIn(3),
    weather,
    every: pick([0.15, 0.3, 1]),
    events: events.sort((a, b) => a.at - b.at)
  }
}
