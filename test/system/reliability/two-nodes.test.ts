import type { FastifyInstance } from 'fastify'
import { test } from 'tap'
import type { Ticker } from '../../../schemas/ticker.js'
import { NODE_KINDS } from '../../../simulator/kinds.js'
import { type FaultRule, type Ledger, type SimulatedNode, startNode } from '../../../simulator/index.js'
import { build, headReached, historyComplete, settings, startChain, until } from '../../helper.js'
import { goingOn } from './clock.js'
import { aggregateTruth, createWorld, poolTruths, supplyTruth, trade } from './truth.js'

/** What nodes differ in, or one of two lacks: nothing of it may be seen in an answer, whatever their order. */
interface Row {
  name: string
  first?: (node: SimulatedNode, ledger: Ledger) => void
  second?: (node: SimulatedNode) => void
  /** Both orders of CHAIN_RPC_URL. */
  both?: true
  /** Events are missing until they have been looked for. */
  searches?: true
  /** The first one's WebSocket is listened to. */
  listens?: true
}

const is = (kind: 'accounts' | 'history') => ({ conditions }: SimulatedNode): void => {
  Object.assign(conditions, NODE_KINDS[kind])
}
const faulty = (fault: FaultRule) => (node: SimulatedNode): void => { node.fault(fault) }
/** It lacks the newer half of what happened, and goes on from there. */
const wasDown = (node: SimulatedNode, { history, time }: Ledger): void => {
  node.fault({ kind: 'hole', value: [history.time(history.length >> 1), time] })
}
const HISTORY = /^get(Signatures|Transaction|Block)/
const ACCOUNTS = /Account/

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>
/** So long a service that has an older state waits for a newer one, ms. */
const WAIT_MS = 2_000

const ROWS: Row[] = [
  // half a minute of waiting for the look that needs no notification: beside the others
  { name: 'the WebSocket leaves out every second notification', first: ({ ws }) => { ws.leftOut = 2 }, listens: true },
  {
    name: 'one has the accounts alone, the other the history alone and other fields',
    first: is('accounts'),
    second: is('history'),
    both: true
  },
  {
    name: 'one does not know the methods of the history (-32601)',
    first: faulty({ kind: 'rpc-error', value: -32601, method: HISTORY }),
    both: true
  },
  {
    name: 'one does not know the methods of accounts (-32601)',
    first: faulty({ kind: 'rpc-error', value: -32601, method: ACCOUNTS }),
    both: true
  },
  {
    name: 'scans of one are aborted (-32012)',
    first: faulty({ kind: 'rpc-error', value: -32012, method: 'getProgramAccounts' })
  },
  {
    name: 'the long-term store of one is not reached (-32019)',
    first: faulty({ kind: 'rpc-error', value: -32019, method: HISTORY })
  },
  {
    name: 'one takes no optional fields (-32602)',
    first: ({ conditions }) => { conditions.strict = NODE_KINDS.history.strict },
    both: true
  },
  { name: 'one records no inner instructions', first: faulty({ kind: 'inner-null' }), searches: true, both: true },
  { name: 'one passes over the cursor of a list', first: faulty({ kind: 'repeat-page' }), both: true },
  { name: 'one lists signatures in the wrong order', first: faulty({ kind: 'wrong-order' }), both: true },
  { name: 'the answers of one break off', first: faulty({ kind: 'truncated' }), both: true },
  {
    name: 'one was down for the last hours, and began from a snapshot again',
    first: wasDown,
    searches: true,
    both: true
  },
  {
    name: 'one was down for the last hours, and has the bulk method',
    searches: true,
    first (node, ledger) {
      wasDown(node, ledger)
      node.conditions.bulk = { fullLimit: 1000 }
    }
  },
  {
    name: 'the bulk method gives a hundred at most',
    first: ({ conditions }) => { conditions.bulk = { fullLimit: 100 } },
    second: ({ conditions }) => { conditions.bulk = { fullLimit: 100 } }
  }
]

test('two nodes, of which one lacks something: every answer is 200, right, and of now', { jobs: 2 }, async t => {
  for (const row of ROWS) {
    for (const isTurned of row.both === true ? [false, true] : [false]) {
      t.test(`${row.name}${isTurned ? ', named last' : ''}`, { buffered: true }, async t => {
        const { ledger, node } = await startChain(t)
        const other = await startNode(ledger, { finalityLag: 0 })
        t.teardown(() => other.close())
        const world = createWorld(ledger)
        // never executed: no gap, no fault, no trade
        const noise = () => { for (const dao of world.daos) dao.swap('buy', 777_777n, { unexecuted: true }) }
        noise()
        row.first?.(node, ledger)
        row.second?.(other)
        const [first, second] = isTurned ? [other, node] : [node, other]
        const clock = goingOn(ledger)
        const app = await build(t, {
          env: settings(t, first, ledger, {
            CHAIN_RPC_URL: `${first.url},${second.url}`,
            CHAIN_WS_URL: row.listens === true ? first.wsUrl : '',
            CHAIN_RPC_RATE: '100000,100000',
            RATE_LIMIT_MAX: '1000000',
            PROTOCOL_FEE_RATE: '0.005'
          }),
          now: clock.now,
          pollMs: 20
        })
        await historyComplete(app)
        if (row.searches === true) {
          await until('what is missing is found', () => app.history.status().swaps === ledger.swaps.length)
        }

        async function hold (when: string): Promise<void> {
          const [pools, total] = [poolTruths(world), aggregateTruth(world)]
          const get = async (path: string, tries = 5): Promise<Answer> => {
            const asked = performance.now()
            const answer = await app.inject(path)
            // nothing newer came in the time that the service waits for it: the machine is slow
            if (answer.headers.age !== undefined && performance.now() - asked >= WAIT_MS && tries > 1) {
              return await get(path, tries - 1)
            }
            t.equal(answer.statusCode, 200, `${when}: ${path} ${answer.payload.slice(0, 200)}`)
            t.equal(answer.headers.age, undefined, `${when}: ${path} is of now`)
            return answer
          }
          const tickers = (await get('/api/tickers')).json<Ticker[]>()
          t.same(tickers.map(({ pool_id: pool }) => pool).sort(), [...pools.keys()].sort(), when)
          for (const ticker of tickers) t.match(ticker, pools.get(ticker.pool_id)!, when)
          t.equal((await get('/api/volume/aggregate')).json<{ totalVolume: string }>().totalVolume, total, when)
          for (const mint of [world.launch.mint, world.plain]) {
            const { total, circulating, ...data } = supplyTruth(world, mint)
            t.match((await get(`/api/supply/${mint.address}`)).json(), { data })
            t.equal((await get(`/api/supply/${mint.address}/circulating`)).payload, circulating)
          }
          t.equal((await app.inject('/ready')).statusCode, 200, when)
          const { missingTransactions, missingEvents } = app.history.status()
          t.same([missingTransactions, missingEvents], [0, 0], when)
        }

        await hold('cold')
        for (const round of [1, 2]) {
          trade(world)
          noise()
          clock.pass(11)
          await headReached(app, ledger, ledger.time)
          await until('the trades are there', () => app.history.status().swaps === ledger.swaps.length)
          await hold(`after round ${round} of trades`)
        }
        clock.pass(90)
        await headReached(app, ledger, ledger.time)
        await hold('a minute and a half later')
      })
    }
  }
})
