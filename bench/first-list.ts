/**
 * The history on a node as people have them, from an empty store: how long until the last 24 hours are indexed, against
 * what the node's limits allow, and what it cost in calls.
 *
 * `npm run bench -- first-list [--node documented] [--transactions 373] [--swaps 1000] [--all]`
 *
 * `--transactions`: those of the last day, of `--swaps` in all; `--all`: until the history is complete, and what that
 * costs.
 */
import { setTimeout } from 'node:timers/promises'
import { createNodeClient } from '../lib/chain/nodes.js'
import { createHistoryReader } from '../lib/chain/transactions.js'
import { createHistory } from '../lib/history/history.js'
import { openSqliteStore } from '../lib/history/store/sqlite.js'
import { createLedger, startNode } from '../simulator/index.js'
import { isNodeKind, NODE_KINDS } from '../simulator/kinds.js'
import { options, scratchFolder } from './support/run.js'
import { VALUATION } from './support/swap-event.js'

const { node: kind, transactions: today, swaps: least, all } = options({
  node: 'documented', transactions: 373, swaps: 1000, all: false
})
if (!isNodeKind(kind)) throw new Error(`--node must be one of ${Object.keys(NODE_KINDS).join(', ')}`)
const swaps = Math.max(least, today)
const DAY = 86_400

const now = () => Date.now() / 1000
const earlier = Math.ceil((swaps - today) * DAY / Math.max(today, 1))
const ledger = createLedger({ seed: 1, time: Math.floor(now() - 0.99 * DAY - earlier), keepSwaps: false })
const daos = Array.from(
  { length: 5 },
  () => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n })
)
for (let at = 0; at < swaps; at++) {
  ledger.advance(at < swaps - today ? earlier / (swaps - today) : 0.99 * DAY / today)
  daos[at % daos.length]!.swap(at % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_000 + at))
}
const node = await startNode(ledger, { kind })
const timer = setInterval(() => ledger.advance(Math.max(0, now() - ledger.time)), 200)
const store = await openSqliteStore({ folder: scratchFolder(), program: ledger.program })
const client = createNodeClient({ urls: [node.url] })
const calls = new Map<string, number>()
let [accepted, refused] = [0, 0]
const history = createHistory({
  reader: createHistoryReader(client),
  store,
  program: ledger.program,
  daos: async () => ({
    slot: ledger.slot, time: ledger.time, daos: daos.map(({ address, seqNum }) => ({ address, seqNum: BigInt(seqNum) }))
  }),
  ...VALUATION,
  time: client.time,
  onLog: ({ message }) => console.log(`${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${message}`)
})

function counts (): string {
  const before = new Map(calls)
  for (const [method, count] of Object.entries(node.calls)) calls.set(method, count)
  const fresh = [...calls].map(([method, count]) => [method, count - (before.get(method) ?? 0)] as const)
    .filter(([, count]) => count > 0)
  const { total: a, totalRefused: r } = node.limiter
  const text =
    `${fresh.map(([method, count]) => `${method} ${count}`).join(', ')}; ` +
      `refused ${r - refused} of ${a + r - accepted - refused}`
  ;[accepted, refused] = [a, r]
  return text
}

const begun = performance.now()
history.start()
while (!history.status().last24h) await setTimeout(20)
const seconds = (performance.now() - begun) / 1000
console.log(
  `the last day after ${seconds.toFixed(1)} s: ${today} transactions, ${(today / seconds).toFixed(1)} a ` +
    `second; ${counts()}`
)
if (all) {
  while (!history.status().complete) await setTimeout(20)
  console.log(`all ${swaps} after ${((performance.now() - begun) / 1000).toFixed(1)} s; ${counts()}`)
}
clearInterval(timer)
await history.stop()
await store.close()
client.close()
await node.close()
