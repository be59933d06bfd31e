/**
 * A world as it stands before the service starts: its chain with a past, its nodes, what may be known of them, and what
 * is remembered on the way.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createLedger, createRandom, type Ledger, USDC } from '../../../simulator/index.js'
import { NODE_KINDS, type NodeKind } from '../../../simulator/kinds.js'
import type { BulkOffer } from '../../../simulator/methods-bulk.js'
import { createNodeService } from '../../../simulator/service.js'
import { createSubscriptions } from '../../../simulator/websocket.js'
import { populate, swapSomewhere } from './chain.js'
import { createDisk, type Disk } from './disk.js'
import { type Failure, Violation } from './failure.js'
import { createNetwork, type Host, type Network } from './network.js'
import type { Half, Plan } from './plan.js'
import { installSimulatedTime } from './simulated-time.js'
import { createTruth } from './truth.js'
import { AGREEING_MS, wrongWitnesses } from './witnesses.js'

/** The one time of the process, in place before the service is loaded. */
export const time = installSimulatedTime()

/** Where the simulated year begins: 2026-11-02 00:00 UTC. */
const EPOCH = 1_793_577_600

export type Random = ReturnType<typeof createRandom>

/** `answers`: figures asked for; `served`: those that came. */
export interface Outcome {
  failure?: Failure
  /** A figure was of another age than it said, while too many witnesses were wrong: the world has ended there. */
  doubtful?: Failure
  seconds: number
  answers: number
  served: number
  calls: number
}

/** What a client holds of a path, who asks whether it still stands. */
export interface Held { etag: string, body: any, headers: Record<string, unknown> }

export interface World {
  readonly plan: Plan
  readonly ledger: Ledger
  /** In order of preference. */
  readonly nodes: readonly Host[]
  readonly network: Network
  /** What the first node tells who listens to its WebSocket. */
  readonly subscriptions: ReturnType<typeof createSubscriptions>
  readonly truth: ReturnType<typeof createTruth>
  readonly disk: Disk
  /** What happens on the chain. */
  readonly random: Random
  /** What happens on the way, when, and in the service. */
  readonly chance: Random
  /** Where the store is. */
  readonly folder: string
  readonly outcome: Outcome
  /** Undefined while the process is down. */
  app: FastifyInstance | undefined
  /** When something was last wrong with a node, or the process started, and when the chain was last halted; ms. */
  troubledAt: number
  /** When two witnesses of the time or more were last wrong, ms. */
  doubtedAt: number
  /**
   * While no node that could be asked showed anything new, Unix seconds: to the service, which has it from two of them,
   * the chain may have halted.
   */
  readonly silences: Array<{ from: number, to: number }>
  /** By how many seconds the chain's clock was behind UTC, from a time of its own on. */
  readonly drifts: Array<{ from: number, seconds: number }>
  /** When the process began to start. */
  startedAt: number
  haltedAt: number
  readonly held: Map<string, Held>
  /** Pools listed since the process started. */
  readonly seen: Set<string>
  /** DAOs that were ever told, and when those that were not were first seen in the store, ms. */
  readonly told: Set<string>
  readonly learnt: Map<string, number>
  /**
   * DAOs of which an event that nobody knows came while a proposal was live: the swaps that follow move between pools
   * what no event tells, so that it may stay unjudged, and its DAO hidden for a day.
   */
  readonly unjudged: Set<string>
  /** The nodes have forgotten what nobody had read: it can be counted, not told. */
  isLost: boolean
  /** The newest block told, and the first of the next range. */
  toldBlock: number
  nextBlock: number
  /** Clients that have come in bursts. */
  strangers: number
}

/** Throws that a rule is broken, now. */
export function fail (rule: string, expected: string, served: string): never {
  throw new Violation({ second: Math.round(time.now() / 1000), rule, expected, served })
}

/**
 * A list takes two calls, one after the other, each up to a third longer than this; where an older one may be served it
 * is waited for two seconds.
 */
const QUICK_MS = 700

/** Seconds by which the chain's clock may be behind without a word, where nobody shows it but one node. */
const DRIFT = 5

/** Whether nothing is wrong with any node. */
export function isCalm ({ ledger, nodes }: Pick<World, 'ledger' | 'nodes'>): boolean {
  const dating = nodes.filter(({ service: { conditions } }) => !conditions.lacks.includes('getMultipleAccounts'))
  const ahead = time.epoch() / 1000 - ledger.utc
  const utc = ledger.utc + (ahead > 0 && ahead <= AGREEING_MS / 1000 ? ahead : 0)
  const isDated = dating.length > 1 || utc - ledger.time <= DRIFT
  return isDated && nodes.every((
    { down, latencyMs, service: { conditions, faults, position } }
  ) => !down && latencyMs <= QUICK_MS &&
    position.behind() === 0 && conditions.date === 'right' && conditions.limits === null && faults.active.every(
    ({ fired, times = Infinity }) => fired >= times
  ))
}

/** What a node lacks that has a part of the methods. */
function partOf (half: Half = 'all'): Partial<Pick<NodeKind, 'lacks' | 'strict'>> {
  if (half === 'all') return {}
  const { lacks, strict }: NodeKind = NODE_KINDS[half]
  return { ...(lacks && { lacks }), ...(strict && { strict }) }
}

/** Makes the chain of a plan with its past, and its nodes; time begins anew. The service is not started. */
export function createWorld (plan: Plan): World {
  const random = createRandom(plan.seed)
  const chance = createRandom(plan.seed + 1_000_003)
  const network = createNetwork(() => chance.next())
  const start = EPOCH + random.int(86_400 * 20)
  const ledger = createLedger({ seed: plan.seed, time: start - plan.past.days * 86_400 })
  // half of those that offer it give a hundred at most, whatever was asked for
  const bulk: BulkOffer = plan.seed % 2 === 0 ? { fullLimit: 1000, page: 100 } : { fullLimit: 1000 }
  // there from the beginning: a node that is days behind shows what was then
  const nodes = Array.from({ length: plan.nodes }, (_, at): Host => {
    const service = createNodeService(ledger, {
      now: () => time.now(),
      finalityLag: plan.finalityLag,
      kind: plan.kind,
      ...partOf(plan.halves?.[at]),
      bulk: plan.bulk && at === 0 ? bulk : null
    })
    const host = { service, latencyMs: 20 + chance.int(100), down: false }
    network.hosts.set(`node-${at}.test`, host)
    return host
  })
  const subscriptions = createSubscriptions(ledger, nodes[0]!.service.methods)
  subscriptions.controls.leftOut = plan.leftOut ?? 0
  populate(ledger, plan, random)
  const { days, drift = 0 } = plan.past
  ledger.clockRate = 1 - drift / (days * 86_400)
  const truth = createTruth(ledger, USDC, () => Math.min(...nodes.map(({ service }) => service.conditions.finalityLag)))
  for (let at = 0; at < plan.past.swaps; at++) {
    ledger.advance(
      Math.max(0, (days * 86_400 * (at + 1)) / (plan.past.swaps + 1) - (ledger.utc - (start - days * 86_400)))
    )
    swapSomewhere(ledger, random)
  }
  ledger.advance(Math.max(0, start - ledger.utc))
  ledger.clockRate = 1
  time.reset({ epoch: ledger.utc * 1000, random: () => chance.next() })
  truth.note(0)

  const world: World = {
    plan,
    ledger,
    nodes,
    network,
    subscriptions,
    truth,
    disk: createDisk(),
    random,
    chance,
    folder: mkdtempSync(join(tmpdir(), 'world-')),
    outcome: { seconds: 0, answers: 0, served: 0, calls: 0 },
    app: undefined,
    troubledAt: 0,
    doubtedAt: -Infinity,
    silences: [],
    drifts: [],
    startedAt: 0,
    haltedAt: -Infinity,
    held: new Map(),
    seen: new Set(),
    told: new Set(),
    learnt: new Map(),
    unjudged: new Set(),
    isLost: false,
    toldBlock: -1,
    nextBlock: ledger.slot,
    strangers: 0
  }
  followTime(world)
  return world
}

/** The newest slot that a node shows with which nothing is wrong but that it may be behind. */
function newestShown ({ plan, nodes }: World): number {
  const { limits } = NODE_KINDS[plan.kind]
  return Math.max(...nodes.map(({ down, latencyMs, service: { conditions, faults, position } }) =>
    !down && latencyMs <= QUICK_MS && conditions.limits === limits && faults.active.length === 0
      ? position.slot()
      : -Infinity))
}

/** The chain follows time in whole slots, however short the timers are. */
function followTime (world: World): void {
  const { ledger, truth, silences, drifts } = world
  let moved = 0
  let newest = -Infinity
  time.onMove = now => {
    if (now - moved < 50) return
    const from = ledger.utc
    ledger.advance((now - moved) / 1000)
    moved = now
    const seconds = ledger.utc - ledger.time
    if (drifts.at(-1)?.seconds !== seconds) drifts.push({ from: ledger.time, seconds })
    const shown = newestShown(world)
    if (shown <= newest || shown === -Infinity) {
      if (silences.at(-1)?.to === from) silences.at(-1)!.to = ledger.utc
      else silences.push({ from, to: ledger.utc })
    }
    newest = Math.max(newest, shown)
    truth.note(now)
    if (wrongWitnesses(world, time.epoch()) > 1) world.doubtedAt = now
    if (!isCalm(world)) world.troubledAt = now
    if (ledger.slotMs === null) world.haltedAt = now
  }
}
