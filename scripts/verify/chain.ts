/** A pool as the chain has it, by offsets of the program's account and events: nothing here is the service's. */
import { PublicKey } from '@solana/web3.js'
import bs58 from 'bs58'
import { refuse } from '../command-line.js'
import type * as checks from '../checks/swaps.js'
import type { Account, Node, Signature } from './node.js'

export interface Token {
  mint: string
  decimals: number
  unit: bigint
  /** Raw units. */
  supply: bigint
  authority: string | null
  name: string
  symbol: string
}
/** Reserves and uncollected fees, raw units, and the number of the newest event. */
export interface State {
  slot: number
  isLive: boolean
  base: bigint
  quote: bigint
  baseFees: bigint
  quoteFees: bigint
  seq: bigint
  /** Of the event that left it so, Unix s. */
  at?: number
}
export interface Pool {
  address: string
  program: string
  /** Owns the DAO's token accounts. */
  vault: string
  multisig: string
  /** Of all positions. */
  liquidity: bigint
  /** What members may spend in a month now, raw quote units. */
  limit: { amount: bigint, members: string[] } | null
  base: Token
  quote: Token
  baseVault: string
  quoteVault: string
  createdAt: number
  state: State
}

export interface Swap extends checks.Swap {
  signature: string
  blockIndex: number | undefined
  eventIndex: number
  /** The transaction's log names it. */
  isNamed: boolean
  after: State
}

// the pool begins at 8: a byte for its state, reserves and fees at 101, four keys at its end; behind it the DAO
const SIZE = { spot: 277, live: 541 }
const KEYS = 128
const [MULTISIG, VAULT, SEQUENCE, LIMIT] = [41, 73, 239, 247]
const CREATED = 25
const SPOT_SWAP = 'e445a52e51cb9a1d1dfd79ff523c94c3'
const METAPLEX = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
const SQUADS = new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf')
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const EXTENSIONS = 166
const TOKEN_METADATA = 19

const key = (data: Buffer, at: number): string => bs58.encode(data.subarray(at, at + 32))

function stateOf (data: Buffer, at: number, slot: number, seq: bigint): State {
  const [quote, base, quoteFees, baseFees] = [101, 109, 117, 125].map(
    offset => data.readBigUInt64LE(at + offset)
  ) as [bigint, bigint, bigint, bigint]
  return { slot, isLive: data[at] === 1, base, quote, baseFees, quoteFees, seq }
}

/** Name and symbol, each with its length before it. */
function texts (data: Buffer, at: number): { name: string, symbol: string } {
  const read = (from: number): string =>
    data.toString('utf8', from + 4, from + 4 + data.readUInt32LE(from)).replace(/\0+$/, '').trim()
  return { name: read(at), symbol: read(at + 4 + data.readUInt32LE(at)) }
}

async function token (node: Node, mint: string): Promise<Token> {
  const { data, owner } = await node.account(mint) ?? refuse(`the node knows no mint ${mint}`)
  const known = {
    mint,
    decimals: data[44]!,
    unit: 10n ** BigInt(data[44]!),
    supply: data.readBigUInt64LE(36),
    authority: data.readUInt32LE(0) === 0 ? null : key(data, 4)
  }
  if (owner === TOKEN_2022) {
    const isThere = (at: number): boolean => at + 4 <= data.length && data.readUInt16LE(at) !== 0
    for (let at = EXTENSIONS; isThere(at); at += 4 + data.readUInt16LE(at + 2)) {
      if (data.readUInt16LE(at) === TOKEN_METADATA) return { ...known, ...texts(data, at + 4 + 64) }
    }
  }
  const [address] = PublicKey.findProgramAddressSync(
    [Buffer.from('metadata'), METAPLEX.toBuffer(), new PublicKey(mint).toBuffer()],
    METAPLEX
  )
  const metadata = await node.account(address.toBase58())
  return { ...known, ...metadata === undefined ? { name: '', symbol: '' } : texts(metadata.data, 65) }
}

const limitAt = (data: Buffer, amount: number, members: number): Pool['limit'] => ({
  amount: data.readBigUInt64LE(amount),
  members: Array.from({ length: data.readUInt32LE(members) }, (_, i) => key(data, members + 4 + i * 32))
})

/** By the Squads account of the limit: null where it is of no sum of quote tokens a month, undefined without one. */
async function limitNow (
  node: Node, dao: string, multisig: string, quote: string
): Promise<Pool['limit'] | undefined> {
  const [of, create] = [new PublicKey(multisig).toBuffer(), new PublicKey(dao).toBuffer()]
  const [address] = PublicKey.findProgramAddressSync(
    [Buffer.from('multisig'), of, Buffer.from('spending_limit'), create], SQUADS
  )
  const { owner, data } = await node.account(address.toBase58()) ?? {}
  if (owner !== SQUADS.toBase58() || data === undefined) return undefined
  return data[72] === 0 && key(data, 73) === quote && data[113] === 3 ? limitAt(data, 105, 131) : null
}

/** Where the DAO begins behind its pool. */
const daoIn = (data: Buffer): number => 8 + (data[8] === 0 ? SIZE.spot : SIZE.live)

/** The state of a DAO's account. */
export const stateOfDao = ({ data, slot }: Account): State =>
  stateOf(data, 8, slot, data.readBigUInt64LE(daoIn(data) + SEQUENCE))

/** The pool of a DAO now, at `confirmed`. */
export async function poolAt (node: Node, address: string): Promise<Pool> {
  const account = await node.account(address) ?? refuse(`the node knows no account ${address}`)
  const { owner: program, data } = account
  const dao = daoIn(data)
  const keys = dao - KEYS
  const limit = await limitNow(node, address, key(data, dao + MULTISIG), key(data, keys + 32))
  return {
    address,
    program,
    vault: key(data, dao + VAULT),
    multisig: key(data, dao + MULTISIG),
    limit: limit === undefined
      ? data[dao + LIMIT] === 0 ? null : limitAt(data, dao + LIMIT + 1, dao + LIMIT + 9)
      : limit,
    liquidity: data.readBigUInt64LE(keys - 16) + (data.readBigUInt64LE(keys - 8) << 64n),
    base: await token(node, key(data, keys)),
    quote: await token(node, key(data, keys + 32)),
    baseVault: key(data, keys + 64),
    quoteVault: key(data, keys + 96),
    createdAt: Number(data.readBigInt64LE(8 + CREATED)),
    state: stateOfDao(account)
  }
}

/** Where an event carries the pool behind its own fields: at its end, but for a byte that one kind has behind it. */
function stateIn (data: Buffer, pool: Pool): number | undefined {
  const mint = bs58.decode(pool.base.mint)
  // the longer one first, in which a byte may look like the beginning of the shorter one
  return ([[SIZE.live, 1], [SIZE.spot, 0]] as const)
    .flatMap(([size, tag]) => [0, 1].map(behind => ({ at: data.length - size - behind, size, tag })))
    .find(({ at, size, tag }) => at >= 40 && data[at] === tag &&
      data.subarray(at + size - KEYS, at + size - KEYS + 32).equals(mint))?.at
}

export interface Past { swaps: Swap[], states: State[], transactions: number, newest: Signature | undefined }

/** Transactions that are read beyond the window for the price before it. */
const MAX_BEFORE = 200

/**
 * Swaps and states of a pool since a Unix second, oldest first, and as far back as its last swap before that second. An
 * event without the DAO's key that has its next number is its own too.
 */
export async function readPast (node: Node, pool: Pool, since: number): Promise<Past> {
  const taken: Array<{ signature: Signature, events: Awaited<ReturnType<Node['events']>> }> = []
  const dao = Buffer.from(bs58.decode(pool.address))
  const isOwn = (data: Buffer): boolean => [40, 72].some(at => data.subarray(at, at + 32).equals(dao))
  const isSwap = (data: Buffer): boolean => data.toString('hex', 0, 16) === SPOT_SWAP && isOwn(data)
  let before = 0
  for await (const signature of node.signatures(pool.address)) {
    const events = await node.events(signature.signature, pool.program)
    taken.push({ signature, events })
    // a block's time may differ a little from its events'
    if (signature.blockTime === null || signature.blockTime > since - 600) continue
    const hasSwap = events.some(({ data }) => isSwap(data) && data.readBigUInt64LE(113) > 0n)
    if (hasSwap || ++before === MAX_BEFORE) break
  }
  const past: Past = { swaps: [], states: [], transactions: taken.length, newest: taken[0]?.signature }
  const all = taken.flatMap(({ signature, events }) =>
    events.map(event => ({ signature, ...event, seq: event.data.readBigUInt64LE(32) })))
    .sort((a, b) => a.seq < b.seq ? -1 : 1)
  let last: State | undefined
  for (const { signature, data, index, seq, isNamed } of all) {
    if (!isOwn(data) && seq !== (last?.seq ?? -1n) + 1n) continue
    const [slot, at] = [Number(data.readBigUInt64LE(16)), Number(data.readBigInt64LE(24))]
    const place = stateIn(data, pool)
    // what carries no state moves neither reserves nor fees
    const after: State | undefined = place === undefined
      ? last && { ...last, seq, slot }
      : stateOf(data, place, slot, seq)
    if (after !== undefined && isSwap(data)) {
      const isBuy = data[104] === 0
      const [input, output] = [data.readBigUInt64LE(105), data.readBigUInt64LE(113)]
      const [base, quote] = isBuy ? [output, input] : [input, output]
      const balance = isBuy ? 'quoteFees' : 'baseFees'
      const fee = last?.seq === seq - 1n ? after[balance] - last[balance] : undefined
      past.swaps.push({
        seq,
        signature: signature.signature,
        slot,
        blockIndex: signature.transactionIndex,
        eventIndex: index,
        at,
        isBuy,
        base,
        quote,
        fee,
        maker: key(data, 72),
        isNamed,
        after
      })
    }
    if (after !== undefined) past.states.push({ ...after, at })
    last = after ?? last
  }
  return past
}

/** The pool's state at a slot: its account's where nothing has moved it since, else that of its last event before. */
export function stateAt ({ state }: Pick<Pool, 'state'>, past: Past, slot: number): State | undefined {
  if (!past.states.some(({ slot: moved }) => moved > slot && moved <= state.slot)) return state
  return past.states.findLast(({ slot: moved }) => moved <= slot)
}
