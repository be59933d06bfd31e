/** A world as plain data, made of a seed: it can be printed, cut down and run again. */
import { createRandom } from '../../../simulator/index.js'
import type { DateShown } from '../../../simulator/service.js'

export type NodeWeather =
  | { kind: 'down' }
  /**
   * It has stopped; `pace`: it does not come back at once, but goes on from there at so many times the chain's pace.
   */
  | { kind: 'freeze', pace?: number }
  /** The node follows the chain, and nothing more becomes final there. */
  | { kind: 'finality' }
  /**
   * So many seconds behind, with all that it shows; `pace` above 1: it catches up from there; 0: there it has stopped.
   */
  | { kind: 'lag', seconds: number, pace?: number }
  /** Its HTTP `Date`; cached: it stays what it is. */
  | { kind: 'date', date: DateShown | 'cached' }
  /** It says that it is well, whatever it is. */
  | { kind: 'healthy' }
  | { kind: 'latency', ms: number }
  /** `unsaid`: without a word in headers of what is allowed, as behind a gateway that keeps them to itself. */
  | { kind: 'limits', node: 'public' | 'documented' | 'small' | 'plan', unsaid?: boolean }
  | { kind: 'older' }
  /** It has nothing of the time between so many hours ago, as one that was started from a snapshot. */
  | { kind: 'hole', hours: [from: number, to: number] }
  | { kind: 'fault', rule: { kind: string, method?: string, value?: unknown, times?: number } }

export type ChainAction = 'born' | 'hostile' | 'launch' | 'finalize' | 'collect' | 'fees' | 'upgrade' | 'burst'
  | 'unknown' | 'forged' | 'donate' | 'liquidity'

/**
 * What the disk does with what is written: without room, or failing; met by rows, or only once a transaction is to end.
 */
export interface DiskWeather { error: 'full' | 'io', at: 'rows' | 'commits' }

/** Strangers who come at once, each with an address of his own and so many requests. */
export interface Burst { clients: number, requests: number }

export type WorldEvent =
  | { at: number, for: number, node: number, weather: NodeWeather }
  | { at: number, chain: ChainAction }
  | { at: number, for: number, chain: 'halt' }
  | { at: number, chain: 'slots', ms: number }
  /**
   * No node shows anything new; afterwards thousands of slots have passed, the next take `ms`, and what is confirmed is
   * final.
   */
  | { at: number, for: number, chain: 'handover', ms: number }
  /** The chain's clock falls behind UTC by so many seconds, evenly, then jumps back. */
  | { at: number, for: number, chain: 'drift', seconds: number }
  /** The chain's clock jumps to UTC. */
  | { at: number, chain: 'correct' }
  /** Our wall clock steps by so many ms; at 0 before the process starts. */
  | { at: number, clock: number }
  /** So many seconds of our wall clock more pass in one. */
  | { at: number, for: number, clockRate: number }
  | { at: number, process: 'restart' }
  /**
   * The process is down for a while; `forget`: meanwhile the nodes forget, and know from then on so many slots only.
   */
  | { at: number, for: number, process: 'outage', forget?: number }
  | { at: number, burst: Burst }
  | { at: number, for: number, disk: DiskWeather }
  /** Started for a while against nodes of another network. */
  | { at: number, for: number, process: 'network' }

export type Half = 'accounts' | 'history' | 'all'

export interface Plan {
  seed: number
  /** Nodes in order of preference; slots between confirmed and finalized. */
  nodes: number
  finalityLag: number
  bulk: boolean
  /** Limits that stay, also in fair weather. */
  kind: 'public' | 'documented' | 'small' | 'plan' | 'own'
  /** Of each node in order what it has, for good: the methods of the accounts, or of the history, or all. */
  halves?: Half[]
  /** The first node has a WebSocket that leaves out one in so many notifications. */
  leftOut?: number
  daos: number
  /** Days and swaps before the service starts, and seconds by which the chain's clock has fallen behind meanwhile. */
  past: { days: number, swaps: number, drift?: number }
  /** Seconds of weather, and seconds between two swaps on average. */
  weather: number
  every: number
  /** From this second of the weather on every figure must be served, and made of a whole history. */
  serves?: number
  /** From this second on the list of DAOs must be there, though the past is still being read. */
  lists?: number
  /** Times of a swap or a client's look are drawn anew from this. */
  events: WorldEvent[]
}

const METHODS = [
  'getSignaturesForAddress', 'getTransaction', 'getProgramAccounts', 'getMultipleAccounts', 'getAccountInfo',
  'getBlock', 'getBlockTime', undefined
] as const

/** Methods that one of several nodes behind an address may be asked for while another is asked for all else. */
const LAGGING = [
  'getProgramAccounts', 'getProgramAccounts', 'getMultipleAccounts', 'getSignaturesForAddress', 'getTransaction',
  'getAccountInfo'
] as const

const ACTIONS: readonly ChainAction[] = [
  'born', 'hostile', 'launch', 'finalize', 'collect', 'fees', 'upgrade', 'burst', 'unknown', 'forged', 'donate',
  'liquidity'
]

/** Who comes, what the disk does, which node lags behind the address of another, whose lists: from dice of its own. */
function othersOf (seed: number, weather: number, nodes: number): WorldEvent[] {
  const random = createRandom(seed * 104_729 + 5)
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!
  const events: WorldEvent[] = []
  for (let left = random.int(3); left > 0; left--) {
    const at = random.int(weather)
    events.push({
      at,
      burst: pick(
        [{ clients: 20 + random.int(180), requests: 1 }, { clients: 1 + random.int(4), requests: 50 + random.int(40) }]
      )
    })
  }
  if (random.int(3) === 0) {
    events.push({
      at: random.int(weather),
      for: 20 + random.int(400),
      disk: { error: pick(['full', 'full', 'io']), at: pick(['rows', 'commits']) }
    })
  }
  for (let left = random.int(4); left > 0; left--) {
    const rule = { kind: 'jump-back', method: pick(LAGGING), value: pick([4, 12, 24, 40, 56, 80, 160, 800]) }
    events.push(
      { at: random.int(weather), for: 20 + random.int(250), node: random.int(nodes), weather: { kind: 'fault', rule } }
    )
  }
  if (random.int(2) === 0) return events
  const rule = { kind: 'late-index', method: 'getSignaturesForAddress', value: pick([2, 4, 8, 16, 40]) }
  const last = 60 + random.int(600)
  for (let node = 0; node < nodes; node++) events.push({ at: 0, for: last, node, weather: { kind: 'fault', rule } })
  return events
}

/**
 * What befalls clocks, of the chain, of nodes and of the machine, and what only a date tells of; and by how much the
 * chain's clock is behind at first.
 */
function timesOf (seed: number, weather: number, nodes: number): { events: WorldEvent[], drift?: number } {
  const random = createRandom(seed * 15_485_863 + 3)
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!
  const events: WorldEvent[] = []
  const drift = random.int(4) === 0 ? 60 + random.int(1740) : undefined
  if (drift !== undefined && random.int(2) === 0) events.push({ at: random.int(weather), chain: 'correct' })
  for (let left = 1 + random.int(4); left > 0; left--) {
    const at = pick([0, random.int(weather)])
    const duration = 20 + random.int(weather)
    const node = random.int(nodes)
    const weatherOf = (weather: NodeWeather): WorldEvent => ({ at, for: duration, node, weather })
    events.push(pick([
      () => ({ at, clock: pick([-7200, -3600, -600, -70, -20, 20, 70, 600, 3600, 7200]) * 1000 }),
      () => ({ at, for: duration, clockRate: pick([-0.01, 0.01]) }),
      () => weatherOf({
        kind: 'date',
        date: pick(['missing', 'garbage', 'cached', { off: -3600 }, { off: 3600 }, { off: -90 }, { off: 90 }])
      }),
      () => weatherOf(
        { kind: 'fault', rule: { kind: pick(['clock-refused', 'clock-missing', 'clock-short', 'clock-owner']) } }
      ),
      // what validators agree on: no node has been seen to show a Clock of the next minute, which a halt would hide;
      // ahead of UTC, also where the chain's own is behind
      () => weatherOf({ kind: 'fault', rule: { kind: 'clock-ahead', value: (drift ?? 0) + pick([600, 3600]) } }),
      () => weatherOf({ kind: 'lag', seconds: pick([80, 3600, 10_800, 172_800]), pace: pick([0, 1, 1, 10]) }),
      () => weatherOf({ kind: 'freeze', pace: 10 }),
      () => ({ at, for: 60 + random.int(1140), chain: 'handover', ms: pick([200, 400]) })
    ] as Array<() => WorldEvent>)())
  }
  return { events, ...(drift !== undefined && { drift }) }
}

/** Nodes of which, all together, none lacks anything. */
const PARTS: Readonly<Record<number, readonly Half[][]>> = {
  1: [['all']],
  2: [['accounts', 'history'], ['history', 'accounts'], ['accounts', 'all'], ['all', 'history']],
  3: [['accounts', 'history', 'all'], ['history', 'accounts', 'accounts'], ['history', 'all', 'accounts']]
}

/** What nodes lack for good, and what the WebSocket leaves out. */
function partsOf (seed: number, nodes: number): Pick<Plan, 'halves' | 'leftOut'> {
  const random = createRandom(seed * 49_979_687 + 11)
  const parts = PARTS[nodes]!
  const halves = parts[random.int(parts.length)]!
  return { ...random.int(2) === 0 && { halves }, ...random.int(2) === 0 && { leftOut: random.int(4) } }
}

/** The weather of a seed. */
export function planOf (seed: number): Plan {
  const random = createRandom(seed * 7919 + 17)
  const pick = <T>(items: readonly T[]): T => items[random.int(items.length)]!
  const nodes = pick([1, 1, 2, 2, 3])
  const weather = 600 + random.int(2400)
  const events: WorldEvent[] = []
  /** One in four is there already when the service starts. */
  const beginning = (): number => random.int(4) === 0 ? 0 : random.int(weather)
  const fault = (): NodeWeather => {
    const method = pick(METHODS)
    const rule = (kind: string, value?: unknown) => ({
      kind: 'fault' as const,
      rule: { kind, ...(method !== undefined && { method }), ...(value !== undefined && { value }) }
    })
    return pick([
      () => rule('refuse'), () => rule('reset'), () => rule('hang'), () => rule('status', pick([403, 500, 502, 503])),
      () => rule('rate-limit', pick([undefined, 1, 5])),
      () => rule('html'), () => rule('truncated'), () => rule('batch-partial'), () => rule('batch-missing'),
      () => rule('batch-shuffled'),
      () => rule('rpc-error', pick([-32000, -32005, -32603, -32011, -32019])), () => rule('wrong-id'),
      () => rule('null-value'),
      () => rule('missing-field'), () => rule('wrong-owner'),
      () => ({ kind: 'fault' as const, rule: { kind: 'null-transaction', times: 1 + random.int(30) } }),
      () => ({ kind: 'fault' as const, rule: { kind: 'other-signature', times: 1 + random.int(10) } }),
      () => ({ kind: 'fault' as const, rule: { kind: 'inner-null', times: 1 + random.int(10) } }),
      () => ({ kind: 'fault' as const, rule: { kind: 'wrong-order', method: 'getSignaturesForAddress' } }),
      () => ({ kind: 'fault' as const, rule: { kind: 'short-page', method: 'getSignaturesForAddress' } }),
      () => ({ kind: 'fault' as const, rule: { kind: 'short-accounts', ...(random.int(2) === 0 && { value: 1 }) } }),
      () => ({
        kind: 'fault' as const,
        rule: { kind: 'slot-jump-ahead', value: 10 ** (4 + random.int(6)), times: 1 + random.int(3) }
      }),
      () => ({ kind: 'fault' as const, rule: { kind: 'skipped-signatures', value: 1 + random.int(5) } }),
      () => ({
        kind: 'fault' as const, rule: { kind: 'no-account', method: 'getMultipleAccounts', value: 2 * random.int(6) }
      }),
      // Alone nobody can know it
      () => nodes > 1
        ? {
            kind: 'fault' as const, rule: { kind: 'jump-back', value: 160 + random.int(2000) }
          }
        : rule('wrong-slot', 1000)
    ] as Array<() => NodeWeather>)()
  }
  const calls = 3 + random.int(14)
  for (let at = 0; at < calls; at++) {
    const start = random.int(weather)
    const duration = 5 + random.int(random.int(3) === 0 ? 900 : 120)
    const node = random.int(nodes)
    switch (random.int(12)) {
      case 0: events.push(
        { at: start, for: duration, node, weather: { kind: random.int(3) === 0 ? 'finality' : 'freeze' } }
      ); break
      case 1: events.push({ at: start, for: duration, node, weather: { kind: 'down' } }); break
      // A little behind, as nodes are; or so far that it must be noticed where another one knows better
      case 2: events.push({
        at: start,
        for: duration,
        node,
        weather: { kind: 'lag', seconds: nodes > 1 && random.int(2) === 0 ? 160 + random.int(800) : 1 + random.int(8) }
      }); break
      case 3: events.push(
        { at: start, for: duration, node, weather: { kind: 'latency', ms: 100 + random.int(3000) } }
      ); break
      case 4: events.push({
        at: start,
        for: duration,
        node,
        weather: { kind: 'limits', node: pick(['public', 'documented', 'small', 'plan']) }
      }); break
      case 5: events.push({ at: start, for: duration, node, weather: { kind: 'older' } }); break
      case 6: events.push({ at: start, chain: pick(ACTIONS) }); break
      case 7: events.push({ at: start, chain: pick(ACTIONS) }); break
      case 8: events.push(random.int(2) === 0
        ? { at: start, clock: pick([-3600, 3600, -90, 90, -5, 5]) * 1000 }
        : random.int(2) === 0
          ? { at: start, for: Math.min(duration, 300), chain: 'halt' }
          : {
              at: start, chain: 'slots', ms: pick([150, 200, 400, 600])
            }); break
      case 9:
        switch (random.int(5)) {
          case 0: events.push({ at: start, for: 200 + random.int(600), process: 'outage' }); break
          case 1: if (random.int(3) === 0) {
            events.push({ at: start, for: 900 + random.int(900), process: 'outage', forget: 500 + random.int(700) })
          } break
          // a store that has met no network yet would be made for the other one
          case 2: events.push({ at: Math.max(start, 60), for: 30 + random.int(90), process: 'network' }); break
          // Every other one while a node has its weather
          default: {
            const others = events.filter(event => 'weather' in event)
            const other = others.length > 0 && random.int(2) === 0 ? pick(others) : undefined
            events.push({
              at: other === undefined ? start : Math.min(weather, other.at + random.int(other.for)), process: 'restart'
            })
          }
        }
        break
      default: events.push({ at: beginning(), for: duration, node, weather: fault() })
    }
  }
  const times = timesOf(seed, weather, nodes)
  return {
    seed,
    nodes,
    ...partsOf(seed, nodes),
    // A slot that is final holds no transaction more
    finalityLag: pick([1, 1, 32, 32]),
    bulk: random.int(3) === 0,
    kind: pick(['own', 'own', 'own', 'own', 'documented', 'small', 'plan', 'public']),
    daos: 2 + random.int(4),
    past: {
      days: 1 + random.int(4), swaps: 50 + random.int(400), ...(times.drift !== undefined && { drift: times.drift })
    },
    weather,
    every: 5 + random.int(60),
    events: [...events, ...othersOf(seed, weather, nodes), ...times.events].sort((a, b) => a.at - b.at)
  }
}
