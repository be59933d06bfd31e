/**
 * Node calls and CPU time of a cold refresh of the tickers, against the same state read through web3.js's `Connection`
 * in the same run: `npm run bench -- refresh [--daos 2000]`. Node runs as the service has it; the chain in a
 * process of its own.
 */
import type { Idl } from '@coral-xyz/anchor'
import idl from '../idl/futarchy.json' with { type: 'json' }
import { createAccountReader } from '../lib/chain/accounts.js'
import { createNodeClient } from '../lib/chain/nodes.js'
import { ratio } from '../lib/decimal.js'
import { createSnapshotReader, type Snapshot } from '../lib/live/snapshot.js'
import { createTokenReader } from '../lib/live/tokens.js'
import { byDepth, ticker } from '../lib/market/ticker.js'
import { createValuation } from '../lib/market/usd.js'
import { PROGRAMS } from '../lib/protocol/addresses.js'
import { createProgramClient } from '../lib/protocol/client.js'
import { makeCachedResponse } from '../lib/http/cached-response.js'
import { spawnMarket } from '../simulator/spawn.js'
import { runAsStarted } from './support/as-started.js'
import { costOf, median } from './support/measure.js'
import { options } from './support/run.js'

const { daos } = options({ daos: 2000 })
runAsStarted(import.meta.filename)
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const NOTHING = { base: ratio(0n), quote: ratio(0n) }
const RULES = { notional: ratio(100n), feeRate: ratio(5n, 1000n) }

const { url, program, stop } = await spawnMarket('--daos', String(daos), '--swaps', '0')
try {
  const client = createProgramClient(program)
  // as the service does once it listens
  const loading = await costOf(client.load)
  const calls = new Map<string, number>()
  let requests = 0
  const nodes = createNodeClient({
    urls: [url],
    onCall ({ method, size }) {
      requests++
      calls.set(method, (calls.get(method) ?? 0) + size)
    }
  })

  /**
   * Reads states one after another, as a service does: tokens are kept, and accounts that did not change are not
   * decoded again.
   */
  function createState (): () => Promise<Snapshot> {
    const reader = createAccountReader(nodes)
    const read = createSnapshotReader(
      { reader, tokens: createTokenReader({ reader, ttl: 600_000 }), client, excluded: new Set(), servedMs: 0 }
    )
    return () => read([])
  }

  async function refresh (read = createState()): Promise<{ daos: number, bytes: number }> {
    const snapshot = await read()
    const usd = createValuation(
      snapshot.pairs, { usdMints: new Set([USDC]), pricedBy: new Map(), minDepth: ratio(10_000n) }
    )
    const list = byDepth(snapshot.pairs.values(), usd).map(pair => ticker(pair, NOTHING, usd, RULES))
    const { bodies } = makeCachedResponse('application/json', JSON.stringify(list))
    return { daos: snapshot.discovered.length, bytes: bodies.get('identity')!.length }
  }

  /**
   * A function that makes the same reads as the usual client does: every field checked, addresses derived by web3.js;
   * no tickers made.
   */
  async function loadReference (): Promise<() => Promise<number>> {
    // a service holds neither of them as long as nobody asks for a supply
    const { BorshAccountsCoder } = await import('@coral-xyz/anchor')
    const { Connection, PublicKey } = await import('@solana/web3.js')
    const connection = new Connection(url)
    const coder = new BorshAccountsCoder(idl as Idl)
    return async () => {
      const { value } = await connection.getProgramAccounts(
        new PublicKey(program), { withContext: true, filters: [{ memcmp: { offset: 0, bytes: 'UGeq4Q9YNpY' } }] }
      )
      const mints = new Set(value.flatMap(({ account }) => {
        const dao = coder.decode('Dao', account.data)
        return [dao.base_mint.toBase58(), dao.quote_mint.toBase58()] as string[]
      }))
      const metaplex = new PublicKey(PROGRAMS.metaplex)
      const keys = [...mints].flatMap(text => {
        const mint = new PublicKey(text)
        return [
          mint,
          PublicKey.findProgramAddressSync([Buffer.from('metadata'), metaplex.toBuffer(), mint.toBuffer()], metaplex)[0]
        ]
      })
      let read = 0
      for (let i = 0; i < keys.length; i += 100) {
        read += (await connection.getMultipleAccountsInfoAndContext(keys.slice(i, i + 100))).value.length
      }
      return read
    }
  }

  const read = createState()
  const ours = await costOf(() => refresh(read))
  const cold = { calls: JSON.stringify(Object.fromEntries(calls)), requests }
  await refresh(read)
  const running = []
  for (let round = 0; round < 5; round++) running.push((await costOf(() => refresh(read))).cpu)
  const next = median(running)
  const warmed = await costOf(() => refresh())
  const reference = await loadReference()
  const theirs = await costOf(reference)
  const warmedReference = await costOf(reference)
  console.log(
    `cold refresh of ${ours.value.daos} DAOs: ${ours.cpu.toFixed(0)} ms of CPU, ` +
      `calls ${cold.calls} in ${cold.requests} requests, ${ours.value.bytes} bytes of tickers`
  )
  console.log(`loading the decoders beforehand: ${loading.cpu.toFixed(0)} ms of CPU`)
  console.log(
    `the reads alone through web3.js: ${theirs.cpu.toFixed(0)} ms; ratio ${(theirs.cpu / ours.cpu).toFixed(1)}`
  )
  console.log(
    `once the code is compiled: ${warmed.cpu.toFixed(0)} ms against ${warmedReference.cpu.toFixed(0)} ms; ` +
      `ratio ${(warmedReference.cpu / warmed.cpu).toFixed(1)}`
  )
  console.log(
    `the next of a running service, with no trade in between: ${next.toFixed(0)} ms (median of 5); ` +
      `ratio ${(warmedReference.cpu / next).toFixed(1)}`
  )
  nodes.close()
} finally {
  await stop()
}
