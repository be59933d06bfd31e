/**
 * The node client on nodes that limit their callers: calls accepted ÷ calls that the limit allows, and the share refused, both after the first ten
 * seconds; and how long live reads take meanwhile. All limits run side by side over HTTP, so it takes `--seconds` and ten.
 *
 * `npm run bench -- pace [--seconds 120]`
 */
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createNodeClient } from '../lib/chain/client.js'
import { createHistoryReader } from '../lib/chain/transactions.js'
import { createLedger, startNode } from '../simulator/index.js'
import type { Limits } from '../simulator/limits.js'

const { values } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '120' } } })
const seconds = Number(values.seconds)
const FIRST_S = 10
const LIVE_EVERY_MS = 5_000

const polite: Omit<Limits, 'rules'> = { refusal: 'http-429', retryAfter: 10, headers: false, batch: 'whole' }
const curt: Omit<Limits, 'rules'> = { refusal: 'http-429', retryAfter: null, headers: false, batch: 'member' }
const perSecond = (calls: number): Limits => ({ ...curt, rules: [{ calls, windowMs: 1_000 }] })

const NODES: Array<{ name: string, limits: Limits | null, perSecond: number }> = [
  { name: '10 of a method in 10 s, Retry-After 10', limits: { ...polite, rules: [{ each: true, calls: 10, windowMs: 10_000 }] }, perSecond: 1 },
  { name: 'the same, said in headers', limits: { ...polite, headers: true, rules: [{ each: true, calls: 10, windowMs: 10_000 }] }, perSecond: 1 },
  { name: '40 of a method and 100 in all in 10 s, Retry-After 10', limits: { ...polite, rules: [{ calls: 100, windowMs: 10_000 }, { each: true, calls: 40, windowMs: 10_000 }] }, perSecond: 4 },
  { name: '10 a second, no Retry-After', limits: perSecond(10), perSecond: 10 },
  { name: '50 a second, as JSON-RPC errors', limits: { ...perSecond(50), refusal: -32429 }, perSecond: 50 },
  { name: '200 a second', limits: perSecond(200), perSecond: 200 }
]

const ledger = createLedger({ seed: 1 })
const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n })
for (let at = 0; at < 1_000; at++) {
  ledger.advance(10)
  dao.swap(at % 2 === 0 ? 'buy' : 'sell', 1_000_000n)
}

async function measure ({ name, limits, perSecond }: typeof NODES[number]): Promise<string> {
  const node = await startNode(ledger, { kind: 'own' })
  node.conditions.limits = limits
  const client = createNodeClient({ urls: [node.url] })
  const history = createHistoryReader(client)
  const stop = new AbortController()
  const signatures = (await history.signatures(ledger.program, {})).map(({ signature }) => signature)
  const of = (counts: Record<string, number>): number => counts.getTransaction ?? 0
  async function read (): Promise<void> {
    while (!stop.signal.aborted) await history.transactions(signatures, { priority: 'past', signal: stop.signal }).catch(() => setTimeout(100))
  }
  const waits: number[] = []
  async function live (): Promise<void> {
    while (!stop.signal.aborted) {
      const begun = performance.now()
      await client.call('getMultipleAccounts', [[dao.address], { encoding: 'base64' }], { signal: stop.signal }).then(() => waits.push(performance.now() - begun), () => waits.push(Infinity))
      await setTimeout(LIVE_EVERY_MS)
    }
  }
  const work = [read(), live()]
  await setTimeout(FIRST_S * 1000)
  const before = { accepted: of(node.limiter.accepted), refused: of(node.limiter.refused) }
  waits.length = 0
  await setTimeout(seconds * 1000)
  const accepted = of(node.limiter.accepted) - before.accepted
  const refused = of(node.limiter.refused) - before.refused
  const longest = Math.max(...waits)
  stop.abort()
  await Promise.allSettled(work)
  client.close()
  await node.close()
  const share = (part: number, whole: number): string => (part / whole * 100).toFixed(1)
  return `| ${name} | ${share(accepted, perSecond * seconds)} % | ${share(refused, accepted + refused)} % | ${longest === Infinity ? 'failed' : `${Math.round(longest)} ms`} |`
}

console.log('| Limit | accepted of what it allows | refused | longest live read |\n|---|---|---|---|')
for (const line of await Promise.all(NODES.map(measure))) console.log(line)
