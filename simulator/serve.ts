/**
 * A market in a process of its own: `tsx simulator/serve.ts --daos 20 --swaps 10000 --days 30 --live`.
 * Prints one line of JSON when it can be asked, and ends on SIGTERM or SIGINT, and with the process that it has a
 * channel to.
 */
import { parseArgs } from 'node:util'
import { PROGRAMS } from './addresses.js'
import { createLedger } from './ledger.js'
import { NODE_KINDS, isNodeKind } from './kinds.js'
import { buildMarket, trade } from './market.js'
import { serveMoves } from './moves.js'
import { startNode } from './node.js'

const text = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    daos: text('20'),
    swaps: text('10000'),
    days: text('30'),
    // A node as people have them: public, documented, small, plan, own.
    node: text('own'),
    // Time passes as it does in truth. Trades go on too: a swap in so many seconds (`every`), on average.
    live: { type: 'boolean', default: false },
    // Takes moves of anyone on this machine, at an address of its own.
    moves: { type: 'boolean', default: false },
    every: text('0.6'),
    // Share of transactions of version 1, which services of before can't read.
    'version-one': text('0.4')
  }
})

if (!isNodeKind(values.node)) {
  console.error(`--node must be one of ${Object.keys(NODE_KINDS).join(', ')}`)
  process.exit(1)
}
const days = Number(values.days)
const now = () => Date.now() / 1000
const start = Math.floor(now() - days * 86400)
const ledger = createLedger({
  seed: 7, time: start, keepSwaps: false, eras: true, versionOne: Number(values['version-one'])
})
const market = buildMarket(ledger, { daos: Number(values.daos), swaps: Number(values.swaps), days })
const node = await startNode(ledger, { kind: values.node })
const moves = values.moves ? await serveMoves(ledger) : undefined
const slotMs = ledger.slotMs!
const timer = setInterval(() => {
  ledger.advance(Math.max(0, now() - start - ledger.elapsed / 1000))
  if (values.live && ledger.random.next() < slotMs / 1000 / Number(values.every)) {
    trade(ledger, ledger.random, market.daos)
  }
}, slotMs)
// However its parent ended: a child with a channel is told.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(event, async () => {
    clearInterval(timer)
    if (process.connected) process.disconnect()
    await moves?.close()
    await node.close()
  })
}
console.log(JSON.stringify({
  url: node.url,
  wsUrl: node.wsUrl,
  movesUrl: moves?.url,
  program: ledger.program,
  router: PROGRAMS.aggregator,
  spam: market.spam.address,
  launched: ledger.launches.map(({ mint }) => mint.address),
  daos: market.daos.map(({ address }) => address),
  swaps: market.swaps,
  transactions: ledger.history.length,
  time: ledger.time,
  slot: ledger.slot
}))
