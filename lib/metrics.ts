import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The metrics, by their sources. Labels are bounded: route templates, statuses, our own methods and reasons; never what a client made up. */

/** Facts that are read when the metrics are. Undefined or null: not known, then nothing is shown. */
export interface MetricSources {
  snapshot (): { ageSeconds: number, slot: number, leftOut: ReadonlyArray<string | undefined> } | undefined
  history (): {
    slot: number | null
    headAt: number | null
    swaps: number
    events: number
    holes: number
    missing: number
    last24h: boolean
    complete: boolean
    rateDisagreements: ReadonlyArray<{ bps: string, swaps: number }>
  }
  /** The limit that replicas share; undefined where they do not. */
  sharedLimit (): { up: boolean, replicas: number } | undefined
  now (): number
}

export interface Metrics {
  registry: Registry
  answered (answer: { route: string, method: string, status: number, seconds: number }): void
  called (call: { method: string, outcome: string, seconds: number }): void
}

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
/** Fee rates that are shown: a program charges one or two in its life. */
const MOST_RATES = 20

/** A registry over `sources`; with `process`, of the process too (event loop, memory, collections), whose observers then run. */
export function createMetrics (sources: MetricSources, { process = false } = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (process) collectDefaultMetrics({ register: registry })

  const requests = new Counter({ name: 'http_requests_total', help: 'Requests by route template, method and status.', labelNames: ['route', 'method', 'status'], registers })
  const latency = new Histogram({ name: 'http_request_duration_seconds', help: 'Time to answer, by route template.', labelNames: ['route'], buckets: SECONDS, registers })
  const limited = new Counter({ name: 'rate_limit_hits_total', help: 'Requests refused by the limiter.', registers })
  const calls = new Counter({ name: 'node_calls_total', help: 'Requests to nodes by method and outcome.', labelNames: ['method', 'outcome'], registers })
  const callLatency = new Histogram({ name: 'node_call_duration_seconds', help: 'Time of a node\'s answer, by method.', labelNames: ['method'], buckets: SECONDS, registers })

  function gauge (name: string, help: string, read: () => number | boolean | null | undefined): void {
    labelled(name, help, undefined, () => [[undefined, read()]])
  }

  /** A gauge with at most one label, made anew at each reading. */
  function labelled (name: string, help: string, label: string | undefined, read: () => ReadonlyArray<[string | undefined, number | boolean | null | undefined]>): void {
    registry.registerMetric(new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      collect () {
        this.reset()
        // without a label a reset gauge shows 0, which would claim what is not known
        if (label === undefined) this.remove()
        for (const [value, figure] of read()) {
          if (figure == null) continue
          if (label === undefined || value === undefined) this.set(Number(figure))
          else this.set({ [label]: value }, Number(figure))
        }
      }
    }))
  }

  const { snapshot, history, sharedLimit, now } = sources
  gauge('snapshot_age_seconds', 'Age of the state of all DAOs.', () => snapshot()?.ageSeconds)
  gauge('snapshot_slot', 'Slot of the state of all DAOs.', () => snapshot()?.slot)
  gauge('history_slot', 'Newest slot that the history has processed.', () => history().slot)
  gauge('history_lag_slots', 'Slots by which the history is behind the state; finality alone makes about 32.', () => {
    const [state, indexed] = [snapshot()?.slot, history().slot]
    return state === undefined || indexed === null ? null : Math.max(0, state - indexed)
  })
  gauge('history_head_age_seconds', 'Time since the head of the history was last reached.', () => {
    const { headAt } = history()
    return headAt === null ? null : Math.max(0, now() - headAt) / 1000
  })
  gauge('history_swaps', 'Spot swaps in the store.', () => history().swaps)
  gauge('history_events', 'Events in the store.', () => history().events)
  gauge('history_holes', 'Events that the sequence numbers prove and no node has shown.', () => history().holes)
  gauge('history_missing_transactions', 'Transactions that a node lists and does not give.', () => history().missing)
  gauge('history_last_day_covered', '1 when the last 24 hours are indexed.', () => history().last24h)
  gauge('history_complete', '1 when the history is walked to the beginning that the node offers.', () => history().complete)
  gauge('rate_limit_backend_local', '1 while the shared count of requests can\'t be reached and each replica keeps to its share; only where REDIS_URL is set.', () => {
    const shared = sharedLimit()
    return shared && !shared.up
  })
  gauge('rate_limit_replicas', 'Replicas that share the count of requests, when that was last known.', () => sharedLimit()?.replicas)
  labelled('daos', 'Discovered DAOs by what became of them: listed, or the reason why not.', 'state', () => {
    const counts = new Map<string, number>()
    for (const reason of snapshot()?.leftOut ?? []) counts.set(reason ?? 'listed', (counts.get(reason ?? 'listed') ?? 0) + 1)
    return [...counts]
  })
  labelled('fee_rate_disagreements', 'Swaps by the protocol fee they paid, in basis points, where it is not PROTOCOL_FEE_RATE.', 'bps',
    () => history().rateDisagreements.slice(0, MOST_RATES).map(({ bps, swaps }) => [bps, swaps]))

  return {
    registry,
    answered ({ route, method, status, seconds }) {
      requests.inc({ route, method: KNOWN_METHODS.has(method) ? method : 'other', status })
      latency.observe({ route }, seconds)
      if (status === 429) limited.inc()
    },
    called ({ method, outcome, seconds }) {
      calls.inc({ method, outcome })
      callLatency.observe({ method }, seconds)
    }
  }
}
