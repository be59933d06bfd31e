import { createAccountReader } from '../../../lib/chain/accounts.js'
import { createHistoryReader } from '../../../lib/chain/transactions.js'
import { Readable } from 'node:stream'
import { CLOCK } from '../../../lib/chain/accounts.js'
import { type Connections, createNodeCalls, readAnswer } from '../../../lib/chain/json-rpc.js'
import { systemClock } from '../../../lib/clock.js'
import { readTransaction } from '../../../lib/chain/parse-transaction.js'
import type { Call, RawAccount, RawTransaction, Reply, Rpc } from '../../../lib/chain/types.js'
import { ServiceError } from '../../../lib/errors.js'
import { eventAuthority, LAUNCHPADS, metadataAddress } from '../../../lib/protocol/addresses.js'
import { DecodeError } from '../../../lib/protocol/bytes.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { decodeDao } from '../../../lib/protocol/dao.js'
import { decodeEvent } from '../../../lib/protocol/events/decode.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { decodeExternalPool, decodeExternalPosition } from '../../../lib/protocol/external-pool.js'
import { decodeLaunch, decodePackage } from '../../../lib/protocol/launch.js'
import { decodeMetaplex, token2022Metadata } from '../../../lib/protocol/metadata.js'
import { decodeMint, decodeTokenAccount } from '../../../lib/protocol/token.js'
import { createLedger, fromBase58 as decode58, launchAddresses } from '../../../simulator/index.js'
import { createNodeService } from '../../../simulator/service.js'
import { createRandom, type Random } from '../../../simulator/random.js'
import { mutateBytes, mutateJson } from './mutate.js'

/** Damaged accounts, events and JSON through everything that reads what strangers and nodes send. */

export interface FuzzResult {
  runs: number
  /** What came of them, by target and by the name of the error; 'read' where the damage was none or harmless. */
  outcomes: Map<string, number>
  slowestMs: number
  slowest: string
  /** Errors that are none of ours, with what caused them. */
  untyped: string[]
}

type Target = (random: Random) => unknown

/** Targets with their samples, all of them made by the simulated chain. */
async function createTargets (seed: number): Promise<Array<[string, Target]>> {
  const ledger = createLedger({ seed })
  const client = createProgramClient(ledger.program)
  await client.load()
  const usdc = ledger.usdc()
  for (const layout of ['F0', 'F1', 'F2', 'F3'] as const) {
    const dao = ledger.dao({
      base: ledger.mint({ metadata: 'token-2022', program: 'token-2022' }),
      quote: usdc,
      baseReserves: 10n ** 12n,
      quoteReserves: 10n ** 11n,
      layout,
      spendingMembers: 3
    })
    dao.swap('buy', 1_000_000n)
  }
  const deciding = ledger.daos[2]!
  deciding.initializeProposal()
  deciding.launchProposal()
  deciding.conditionalSwap('pass', 'buy', 5_000_000n)
  const launches = LAUNCHPADS.map(({ version }) => {
    const launch = ledger.launch(
      { version, raise: 1_000_000_000_000n, packageAmount: version === 'v0.8' ? 0n : 10n ** 13n }
    )
    launch.complete()
    if (version === 'v0.7') launch.initializePackage()
    return launch
  })
  const raw = (address: string): RawAccount | undefined => {
    const account = ledger.account(address)
    return account === null ? undefined : { address, owner: account.owner, data: account.data }
  }
  const damaged = (account: RawAccount, random: Random): RawAccount => ({
    ...account, data: mutateBytes(account.data, random)
  })
  const targets: Array<[string, Target]> = []
  const add = (name: string, addresses: string[], read: (account: RawAccount) => unknown): void => {
    const samples = addresses.map(raw).filter(account => account !== undefined)
    if (samples.length === 0) throw new Error(`no sample for ${name}`)
    targets.push([name, random => read(damaged(samples[random.int(samples.length)]!, random))])
  }
  const addressesOf = launches.map(
    launch => ({ mint: launch.mint.address, ...launchAddresses(launch.version, launch.mint.address, usdc.address) })
  )
  const mints = [...ledger.mints.keys()]
  add('dao', ledger.daos.map(({ address }) => address), account => decodeDao(client, account))
  for (const [i, { version }] of LAUNCHPADS.entries()) {
    add(
      `launch ${version}`,
      [addressesOf[i]!.launch],
      account => decodeLaunch(client, version, account, addressesOf[i]!.mint)
    )
  }
  add('package', addressesOf.map(each => each.package), account => decodePackage(client, account, addressesOf[1]!.mint))
  add('external pool', addressesOf.map(each => each.pool), account => decodeExternalPool(client, account))
  add(
    'external position',
    addressesOf.map(each => each.position),
    account => decodeExternalPosition(client, account, addressesOf[1]!.positionNftMint)
  )
  add('mint', mints, decodeMint)
  add('metadata in the mint', mints, token2022Metadata)
  add('metadata', mints.map(metadataAddress), account => decodeMetaplex(account, mints[0]!))
  add('token account', addressesOf.map(each => each.baseVault), decodeTokenAccount)

  const { methods } = createNodeService(ledger, { finalityLag: 0 })
  const call = (method: string, params: unknown[]): unknown => JSON.parse(methods.call(method, params, []))
  const answers = {
    getProgramAccounts: JSON.stringify(
      call('getProgramAccounts', [ledger.program, { encoding: 'base64', withContext: true }])
    ),
    getMultipleAccounts: JSON.stringify(call('getMultipleAccounts', [mints.slice(0, 3), { encoding: 'base64' }])),
    getSignaturesForAddress: JSON.stringify(call('getSignaturesForAddress', [ledger.program, { limit: 10 }])),
    getAccountInfo: JSON.stringify(call('getAccountInfo', [CLOCK, { encoding: 'base64' }])),
    getSlot: '400000000'
  }
  const signatures = (JSON.parse(answers.getSignaturesForAddress) as Array<{
    signature: string
  }>).map(({ signature }) => signature)
  const transactions = signatures.map(signature => JSON.stringify(
    call('getTransaction', [signature, { encoding: 'json', maxSupportedTransactionVersion: 1 }])
  ))
  const authority = eventAuthority(ledger.program)
  const genuine = transactions.flatMap(
    text => readEvents(JSON.parse(text) as RawTransaction, ledger.program, authority)
  )
  if (genuine.length === 0) throw new Error('no event to damage')

  let random = createRandom(seed)
  const damagedAnswer = (method: string): unknown => mutateJson(JSON.parse(answers[method as 'getSlot']), random)
  const replyOf = <T>({ read }: Pick<Call<T>, 'read'>, result: unknown): Reply<T> => {
    const taken = read?.(result) ?? { value: result as T }
    return taken instanceof ServiceError ? { error: taken } : { result: taken.value }
  }
  const rpc: Rpc = {
    async call (method, params, options = {}) {
      const { result, error } = replyOf(options, method === 'getTransaction'
        ? mutateJson(JSON.parse(transactions[Math.max(0, signatures.indexOf(String(params[0])))]!), random)
        : damagedAnswer(method))
      if (error !== undefined) throw error
      return result
    },
    async ask ({ calls, read }) {
      return { ...read(calls.map(({ method }) => damagedAnswer(method)), { host: 'node' }), readAt: 0 }
    },
    ofEach: async ({ method }) => [damagedAnswer(method)],
    async send (calls) {
      const messages = calls.map(({ method }, id) => ({
        jsonrpc: '2.0',
        id,
        result: JSON.parse(
          method === 'getTransaction' ? transactions[id % transactions.length]! : answers[method as 'getSlot']
        )
      }))
      const answer = mutateJson(messages.length > 1 ? messages : messages[0], random)
      return readAnswer('node', [...calls.keys()], answer).map((reply, at) =>
        reply.error === undefined ? replyOf(calls[at]!, reply.result) : reply)
    }
  }
  const accounts = createAccountReader(rpc)
  const history = createHistoryReader(rpc)
  const using = (target: () => unknown): Target => from => { random = from; return target() }
  targets.push(
    ['account reader: program', using(() => accounts.programAccounts(ledger.program, client.daoPrefix))],
    ['account reader: list', using(() => accounts.accounts([mints.slice(0, 3)]))],
    ['account reader: lists', using(() => accounts.accounts([mints.slice(0, 3), mints.slice(0, 3)]))],
    ['history reader: signatures', using(() => history.signatures(ledger.program, { limit: 10 }))],
    ['history reader: transactions', using(() => history.transactions(signatures.slice(0, 1 + random.int(3))))],
    ['history reader: head', using(() => history.head())],
    ['event reader', from => {
      const read = readTransaction(mutateJson(JSON.parse(transactions[from.int(transactions.length)]!), from))
      return read && readEvents(read, ledger.program, authority)
    }]
  )

  const events = transactions.flatMap(
    text => (JSON.parse(text) as RawTransaction).meta.innerInstructions ?? []
  ).flatMap(({ instructions }) => instructions)
    .map(({ data }) => Buffer.from(decode58(data))).filter(data => data.length > 40)
  targets.push(['event', from => decodeEvent(mutateBytes(events[from.int(events.length)]!, from))])

  const texts = Object.entries(answers).map(
    ([method, result]) => ({ method, text: `{"jsonrpc":"2.0","id":1,"result":${result}}` })
  )
  let body: Buffer = Buffer.alloc(0)
  const connections: Connections = {
    post: async () => ({ status: 200, headers: {}, body: Readable.from([body]) }),
    close () {}
  }
  const ask = createNodeCalls(new URL('http://node'), {
    node: 'node', clock: systemClock, connections, maxBytes: 2 ** 28, onCall () {}, onHeaders () {}
  })
  targets.push(['reading the reply', async from => {
    const { method, text } = texts[from.int(texts.length)]!
    body = from.int(3) === 0
      ? mutateBytes(Buffer.from(text), from)
      : Buffer.from(JSON.stringify(mutateJson(JSON.parse(text), from)) ?? '')
    const [reply] = await ask([{ method, params: [] }], 1_000, new AbortController().signal)
    if ('error' in reply!) throw reply.error
  }])
  return targets
}

/** Runs `runs` damaged samples, spread over all targets. The same seed damages the same way. */
export async function fuzz (
  { runs, seed, onProgress }: { runs: number, seed: number, onProgress?: (done: number) => void }
): Promise<FuzzResult> {
  const targets = await createTargets(seed)
  const random = createRandom(seed)
  const result: FuzzResult = { runs, outcomes: new Map(), slowestMs: 0, slowest: '', untyped: [] }
  for (let run = 0; run < runs; run++) {
    const [name, target] = targets[run % targets.length]!
    let outcome = 'read'
    const begun = performance.now()
    try {
      const given = target(random)
      if (given instanceof Promise) await given
    } catch (error) {
      outcome = error instanceof DecodeError || error instanceof ServiceError ? error.name : 'untyped'
      if (outcome === 'untyped') {
        result.untyped.push(`run ${run}, ${name}: ${error instanceof Error ? error.stack : String(error)}`)
      }
    }
    const ms = performance.now() - begun
    if (ms > result.slowestMs) Object.assign(result, { slowestMs: ms, slowest: name })
    const key = `${name}: ${outcome}`
    result.outcomes.set(key, (result.outcomes.get(key) ?? 0) + 1)
    if (onProgress !== undefined && run % 100_000 === 0) onProgress(run)
  }
  return result
}
