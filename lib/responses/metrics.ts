import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { CallReport } from '../chain/json-rpc.js'
import type { NodeState } from '../chain/nodes.js'
import type { Sources } from './sources.js'

interface Running {
  answers: { sources: Pick<Sources, 'snapshot' | 'history' | 'time'> }
  /** `websocketUp`: undefined where there is none. */
  chain: { nodes (): NodeState[], websocketUp: boolean | undefined }
  stream: { count (): number }
  /** undefined: replicas share no limit. */
  sharedLimit: { up: boolean, replicas: number } | undefined
}

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const MAX_RATES = 20

/** A registry of metrics. Labels are bounded: clients can't make up any, as the parser knows 35 methods. */
export function createMetrics ({ answers: { sources }, chain, stream, sharedLimit }: Running) {
  const { snapshot: snapshots, history: { status: history }, time } = sources
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const named = (name: string, help: string, ...labelNames: string[]) => ({ name, help, labelNames, registers })
  const requests = new Counter(
    named('http_requests_total', 'Requests by route template, method and status.', 'route', 'method', 'status')
  )
  const latency = new Histogram({
    ...named('http_request_duration_seconds', 'Time to answer, by route template.', 'route'), buckets: SECONDS
  })
  const limited = new Counter(named('rate_limit_hits_total', 'Requests refused by the limiter.'))
  const calls = new Counter(named(
    'node_calls_total', 'Calls to nodes by method and outcome, members of a batch counted one by one.', 'method',
    'outcome', 'node'
  ))
  const callLatency = new Histogram({
    ...named('node_call_duration_seconds', 'Time of a node\'s answer, by method.', 'method'), buckets: SECONDS
  })

  type Figure = number | boolean | null | undefined

  /** Gauges by name, made anew at each reading: of the service, or of subjects by their label. */
  function gauges<S> (
    all: Record<string, [help: string, read: (subject: S) => Figure]>,
    label?: string,
    subjects: () => Iterable<[name: string, S]> = () => [['', undefined as S]]
  ): void {
    for (const [name, [help, read]] of Object.entries(all)) {
      registry.registerMetric(new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [],
        collect () {
          this.reset()
          // without a label a reset gauge shows 0, also for what is not known
          if (label === undefined) this.remove()
          for (const [value, subject] of subjects()) {
            const figure = read(subject)
            if (figure != null) this.set(label === undefined ? {} : { [label]: value }, Number(figure))
          }
        }
      }))
    }
  }

  const snapshot = () => snapshots.peek()
  /** A count of what is stored: none before anything of it is known. */
  const stored = (count: (known: ReturnType<typeof history>) => number) =>
    () => history().slot === null ? undefined : count(history())
  const seconds = (ms: number | null | undefined) => ms == null ? undefined : ms / 1000
  gauges({
    snapshot_age_seconds: ['Age of the state of all DAOs.', () => seconds(snapshot()?.age)],
    snapshot_slot: ['Slot of the state of all DAOs.', () => snapshot()?.value.slot],
    history_slot: ['Newest slot that the history has processed.', () => history().slot],
    history_lag_slots: ['Slots by which the history is behind the state; finality alone makes some.', () => {
      const [state, indexed] = [snapshot()?.value.slot, history().slot]
      return state === undefined || indexed === null ? null : Math.max(0, state - indexed)
    }],
    history_head_age_seconds: [
      'Age of the newest finalized moment up to which everything is indexed.', () => seconds(history().headAge)
    ],
    history_head_slot: ['Newest finalized slot up to which everything is indexed.', () => history().headSlot],
    history_last_day_left: [
      'Transactions of the last 24 hours that are still to be indexed, while they are.', () => history().lastDay?.left
    ],
    history_last_day_seconds_left: ['About how long they will take.', () => history().lastDay?.secondsLeft],
    history_leads: ['1 where this process writes the history.', () => history().leads],
    history_store_refused: [
      '1 while nothing can be written to the store: it has no room, or is of another network.',
      () => history().refusal !== null
    ],
    history_losses: [
      'Parts of the past inside what is indexed that no node offers any more.', stored(({ losses }) => losses)
    ],
    history_swaps: ['Spot swaps in the store.', stored(({ swaps }) => swaps)],
    history_events: ['Events in the store.', stored(({ events }) => events)],
    history_missing_events: [
      'Events that the sequence numbers prove and no node has shown.', stored(({ missingEvents }) => missingEvents)
    ],
    history_missing_transactions: [
      'Transactions that a node lists and does not give.', stored(({ missingTransactions }) => missingTransactions)
    ],
    history_last_day_covered: ['1 when the last 24 hours are indexed.', () => history().last24h],
    history_complete: ['1 when the history is walked to the beginning that the node offers.', () => history().complete],
    rate_limit_backend_local: [
      '1 while the shared count of requests can\'t be reached and each replica keeps to its share; only where ' +
        'REDIS_URL is set.',
      () => sharedLimit && !sharedLimit.up
    ],
    clock_offset_seconds: [
      'Time by which this machine\'s clock is ahead of UTC, as most witnesses have it.',
      () => time.offsets().clock / 1000
    ],
    chain_drift_seconds: [
      'Time by which the chain\'s clock is behind UTC though its state is current.', () => time.offsets().drift / 1000
    ],
    chain_halted: ['1 while the chain has halted, as its nodes agree.', () => time.halted() !== undefined],
    streams_open: ['Connections to /api/stream.', () => stream.count()],
    websocket_up: ['1 while the WebSocket that wakes the indexer is connected.', () => chain.websocketUp],
    rate_limit_replicas: [
      'Replicas that share the count of requests, when that was last known.', () => sharedLimit?.replicas
    ]
  })

  const BREAKER = { closed: 0, 'half-open': 0.5, open: 1 }
  gauges<NodeState>({
    node_refused_calls: ['Calls that a node refused for their rate, since the start.', ({ refused }) => refused],
    node_waiting_calls: ['Calls that wait for their turn at a node.', ({ waiting }) => waiting],
    node_rate: [
      'Calls a second that a node is found to allow for its most limited method; none while no bound is known.',
      ({ perSecond }) => perSecond === Infinity ? undefined : perSecond
    ],
    node_breaker_open: [
      '1 while a node is left alone for failing, 0.5 while it is tried again.', ({ breaker }) => BREAKER[breaker]
    ],
    node_slot: ['Newest slot that a node has shown.', ({ slot }) => slot],
    node_age_seconds: ['Age of the last state that a node has shown, by UTC.', ({ lagMs }) => seconds(lagMs)]
  }, 'node', () => chain.nodes().map(state => [state.node, state]))
  gauges<number>({
    daos: ['Discovered DAOs by their accounts: listed unless events are missing, or why not.', count => count]
  }, 'state', () => {
    const counts = new Map<string, number>()
    for (const { leftOut: state = 'listed' } of snapshot()?.value.discovered ?? []) {
      counts.set(state, (counts.get(state) ?? 0) + 1)
    }
    return counts
  })
  gauges<number>({
    fee_rate_disagreements: [
      'Swaps by the protocol fee they paid, in basis points, where it is not PROTOCOL_FEE_RATE.', swaps => swaps
    ]
  }, 'bps', () => history().rateDisagreements.slice(0, MAX_RATES).map(({ bps, swaps }) => [bps, swaps]))

  return {
    registry,
    answered ({ route, method, status, ms }: { route: string, method: string, status: number, ms: number }) {
      requests.inc({ route, method, status })
      latency.observe({ route }, ms / 1000)
      if (status === 429) limited.inc()
    },
    called ({ method, node, outcome, size, ms }: CallReport) {
      calls.inc({ method, outcome, node }, size)
      callLatency.observe({ method }, ms / 1000)
    }
  }
}
