/**
 * The whole of lib/chain against the simulated chain: every fault of the node gives the right answer or a coded error,
 * in time.
 */
import { test, type Test } from 'tap'
import { type AccountReader, createAccountReader } from '../../../lib/chain/accounts.js'
import { createHistoryReader } from '../../../lib/chain/transactions.js'
import { subscribe } from '../../../lib/chain/subscription.js'
import { createNodeClient, type NodeClientOptions } from '../../../lib/chain/nodes.js'
import { isServiceError } from '../../../lib/errors.js'
import { createLedger, discriminator, PROGRAMS, startNode, type FaultRule } from '../../../simulator/index.js'
import { steadyNow } from '../../support/steady-time.js'

/**
 * Deadlines of a node that takes for ever or gives nothing, and for what is no matter of time: on a busy machine a call
 * may take a second.
 */
const SHORT = { callMs: 1_000, answerMs: 2_000 }
const PATIENT = { callMs: 3_000, answerMs: 5_000 }
/** What a busy machine adds to a deadline, ms. */
const SLACK_MS = 3_000

async function start (t: Test, options: Partial<NodeClientOptions> = {}) {
  const ledger = createLedger()
  const dao = ledger.dao({
    base: ledger.mint({ symbol: 'AAA', decimals: 9 }),
    quote: ledger.usdc(),
    baseReserves: 2_000_000_000_000n,
    quoteReserves: 200_000_000_000n
  })
  for (let i = 0; i < 120; i++) {
    ledger.advance(10)
    dao.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n)
  }
  const node = await startNode(ledger, { finalityLag: 0 })
  t.teardown(() => node.close())
  const transport = createNodeClient({
    urls: [node.url],
    ...PATIENT,
    retries: 1,
    failures: 1_000,
    maxBytes: 8_000_000,
    watchMs: 0,
    rates: [100_000],
    ...options
  })
  t.teardown(transport.close)
  return { ledger, dao, node, accounts: createAccountReader(transport), history: createHistoryReader(transport) }
}

const PREFIX = discriminator('account', 'Dao')
/** What is listed and of which moment, whenever it was asked for. */
const list = async (accounts: AccountReader) => {
  const { moment, value } = await accounts.programAccounts(PROGRAMS.futarchy, PREFIX)
  return { moment, value }
}

test('a sound node: accounts, signatures, transactions', async t => {
  const { dao, node, accounts, history } = await start(t)
  const { value } = await accounts.programAccounts(PROGRAMS.futarchy, PREFIX)
  t.strictSame(value.map(({ address }) => address), [dao.address])
  const signatures = await history.signatures(PROGRAMS.futarchy, {})
  t.equal(signatures.length, 122)
  node.reset()
  const transactions = await history.transactions(signatures.map(({ signature }) => signature))
  t.strictSame(
    transactions.map(transaction => isServiceError(transaction) ? transaction : transaction?.slot),
    signatures.map(({ slot }) => slot)
  )
  t.equal(node.requests, 3)
})

const faults: FaultRule[] = [
  { kind: 'refuse' }, { kind: 'reset' }, { kind: 'hang' }, { kind: 'drip' }, { kind: 'status' },
  { kind: 'status', value: 413 }, { kind: 'rate-limit' },
  { kind: 'rate-limit', value: 1 }, { kind: 'rate-limit', value: 60 }, { kind: 'html' }, { kind: 'truncated' },
  { kind: 'oversize', value: 16_000_000 },
  { kind: 'batch-partial' }, { kind: 'batch-missing' }, { kind: 'batch-shuffled' }, { kind: 'rpc-error' },
  { kind: 'rpc-error', value: -32602 }, { kind: 'wrong-id' },
  { kind: 'missing-field' }, { kind: 'null-value' }, { kind: 'other-signature' }, { kind: 'wrong-order' }
]

for (const rule of faults) {
  test(`fault ${rule.kind} ${String(rule.value ?? '')}`, async t => {
    const deadlines = ['hang', 'drip', 'rate-limit'].includes(rule.kind) ? SHORT : PATIENT
    const { node, accounts, history } = await start(t, deadlines)
    const good = await history.signatures(PROGRAMS.futarchy, {})
    const asked = good.slice(0, 20).map(({ signature }) => signature)
    const reads: Array<[string, () => Promise<unknown>]> = [
      ['accounts', () => list(accounts)],
      ['signatures', () => history.signatures(PROGRAMS.futarchy, {})],
      ['transactions', () => history.transactions(asked)]
    ]
    const before = await Promise.all(reads.map(([, read]) => read()))
    node.fault(rule)
    for (const [i, [name, read]] of reads.entries()) {
      const begun = steadyNow()
      const outcome = await read().catch((error: unknown) => error)
      // each transaction has an outcome of its own: the right one, or why there is none
      const own = name === 'transactions' && Array.isArray(outcome) ? outcome as unknown[] : undefined
      if (own !== undefined && own.some(each => each === undefined || isServiceError(each))) {
        own.forEach(
          (each, n) => each === undefined || isServiceError(each) || t.strictSame(each, (before[i] as unknown[])[n])
        )
      } else if (isServiceError(outcome)) {
        t.ok(
          ['NODE_UNAVAILABLE', 'NODE_BAD_ANSWER'].includes(outcome.code), `${name}: ${outcome.code} ${outcome.message}`
        )
      } else if (rule.kind === 'null-value' && name === 'transactions') t.strictSame(outcome, asked.map(() => null))
      else t.strictSame(outcome, before[i], `${name}: right all the same`)
      t.ok(steadyNow() - begun < deadlines.answerMs + SLACK_MS, `${name}: in time`)
    }
    node.faults.clear()
    if (rule.kind === 'rate-limit') return   // it is left alone for as long as it said
    for (const [i, [name, read]] of reads.entries()) t.strictSame(await read(), before[i], `${name}: right afterwards`)
  })
}

test('a second node takes over while the first is unplugged', async t => {
  const { ledger, node, accounts, history } = await start(t)
  const other = await startNode(ledger, { finalityLag: 0 })
  t.teardown(() => other.close())
  const transport = createNodeClient({ urls: [node.url, other.url], ...PATIENT, watchMs: 0, rates: [100_000] })
  t.teardown(transport.close)
  const readers = { accounts: createAccountReader(transport), history: createHistoryReader(transport) }
  const expected = [await list(accounts), await history.signatures(PROGRAMS.futarchy, {})]
  const read = () => Promise.all([list(readers.accounts), readers.history.signatures(PROGRAMS.futarchy, {})])
  t.strictSame(await read(), expected)
  t.equal(other.requests, 0)
  await node.stop()
  t.strictSame(await read(), expected)
  t.ok(other.requests > 0)
  await node.restart()
  other.reset()
  t.strictSame(await read(), expected)
  t.equal(other.requests, 0)
})

test('swaps wake the subscriber', async t => {
  const { ledger, dao, node } = await start(t)
  await new Promise<void>(resolve => {
    const subscription = subscribe({
      url: node.wsUrl,
      program: PROGRAMS.futarchy,
      onTransaction: resolve,
      onFault: error => t.fail(error.message),
      onState: state => {
        if (state === 'down') return
        ledger.advance(1)
        dao.swap('buy', 1_000_000n)
        ledger.advance(60)
      }
    })
    t.teardown(() => subscription.close())
  })
  t.pass('it is woken')
})
