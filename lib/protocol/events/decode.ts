import { AMM_SIZES, ammState, type Outcome, poolAt, type Sides } from '../amm.js'
import { u128 } from '../bytes.js'
import { MAX_TIME } from '../../time.js'
import { keyAt } from '../pda.js'
import { layoutOf, TOLD_KINDS, type EventName, type Layout } from './layouts.js'

export interface SpotSwap {
  /** A buy pays quote and receives base. */
  side: 'buy' | 'sell'
  /** Gross, fee included, in raw units of the token paid. */
  input: bigint
  /** What the user received. While a proposal is live this includes arbitrage profit. */
  output: bigint
}

/** Why an event of no name of ours is not understood; see `rules/unknown-kinds.ts`. */
export const UNKNOWN_KIND = 'of an unknown kind'

const COMMON_END = 40

const keysAt = (data: Buffer) => [40, 72].filter(at => data.length >= at + 32).map(at => keyAt(data, at))

function safe (value: bigint, most: number): number | null {
  return value >= 0n && value <= BigInt(most) ? Number(value) : null
}

/** What an event says, whatever its name: keys base58, amounts raw units. */
export type EventBody = ReturnType<typeof blank>

/** What the layout alone tells. */
function blank (data: Buffer, layout: Layout | undefined) {
  const has = data.length >= COMMON_END
  const inside = (at: number | undefined) => at !== undefined && data.length >= at + 32 ? keyAt(data, at) : null
  return {
    /** 'Unknown': a name that is not ours; 'Unreadable': bytes that don't fit one of ours, or end too soon. */
    name: (layout?.name ?? 'Unknown') as EventName | 'Unknown' | 'Unreadable',
    /** Slot and Unix second that the event states, and its number among the DAO's; null: the data end before them. */
    slot: has ? safe(data.readBigUInt64LE(16), Number.MAX_SAFE_INTEGER) : null,
    at: has ? safe(data.readBigInt64LE(24), MAX_TIME) : null,
    seq: has ? data.readBigUInt64LE(32) : null,
    dao: inside(layout?.dao),
    proposal: inside(layout?.proposal),
    /** Who swapped, or gave or took liquidity, where the event names them. */
    user: inside(layout?.user),
    /** Of an event that is not understood, the keys where others have their DAO and proposal: at bytes 40 and 72. */
    candidates: [] as readonly string[],
    /** The spot pool's fee balances and reserves after the event, where it carries them. */
    fees: null as Sides | null,
    reserves: null as Sides | null,
    /** The event leaves the fee balances as they were. */
    keepsFees: layout?.keepsFees ?? false,
    swap: null as SpotSwap | null,
    /**
     * What went into the spot pool, negative: out of it; null: the event does not say. Launching a proposal takes out
     * what its pass pool begins with (programs/futarchy/src/instructions/launch_proposal.rs).
     */
    liquidity: null as Sides | null,
    facts: null as EventFacts | null,
    /** Of an event that is not understood: what is wrong, and its whole data. */
    reason: null as string | null,
    raw: null as Buffer | null
  }
}

/** Between 2020 and 2128. */
const [FIRST_SECOND, LAST_SECOND] = [1_577_836_800, 5_000_000_000]

/** Whether a pool is at offset `at`, by its two times, which a release that changes an event in its middle moves. */
function isPool (data: Buffer, at: number): boolean {
  const { oracle: { createdAt, updatedAt } } = poolAt(data, at)
  return createdAt > FIRST_SECOND && updatedAt >= createdAt && updatedAt < LAST_SECOND
}

/** Offset of the AMM state: the one with which the length adds up, else one of a pool with a tail behind it. */
function stateAt (data: Buffer, { amm = [] }: Layout): number | undefined {
  const endOf = (at: number) => {
    const state = ammState(data, at)
    return state === undefined ? Infinity : at + AMM_SIZES[state]
  }
  return amm.find(at => endOf(at) === data.length) ?? amm.findLast(at => endOf(at) < data.length && isPool(data, at))
}

/** Whether an event without AMM state is long enough; a kind that has carried it since was never longer. */
function isBare ({ size = Infinity, amm }: Layout, length: number): boolean {
  return amm === undefined ? length >= size : length === size
}

const swapAt = (data: Buffer, type: number, amounts: number): SpotSwap => ({
  side: data[type] === 0 ? 'buy' : 'sell',
  input: data.readBigUInt64LE(amounts),
  output: data.readBigUInt64LE(amounts + 8)
})

/** Markets as a conditional swap numbers them. */
const MARKETS: Record<number, Outcome> = { 1: 'pass', 2: 'fail' }

/** What an event says of a decision, or of an external pool; nothing of it concerns the spot pool. */
export type EventFacts = ReturnType<typeof factsOf>

function factsOf (name: EventName, proposal: string | null, data: Buffer, state: number | undefined) {
  const marketSwap = () => {
    const market = MARKETS[data[136]!]!
    const isLive = state !== undefined && ammState(data, state) === 'futarchy'
    return { ...swapAt(data, 137, 138), market, reserves: isLive ? poolAt(data, state, market).reserves : null }
  }
  return {
    proposal,
    /** Of conditional tokens, with the reserves of its market after it where the event says so. */
    swap: name === 'ConditionalSwap' ? marketSwap() : null,
    /** Of the event that decides: average prices, and what that of the pass market had to exceed, × 10^12. */
    averages: name === 'FinalizeProposal'
      ? { pass: u128(data, 104), fail: u128(data, 120), threshold: u128(data, 136) }
      : null,
    /** What an external position has earned, and of which mints. */
    collected: name === 'CollectMeteoraDammFees'
      ? {
          quote: data.readBigUInt64LE(232),
          base: data.readBigUInt64LE(240),
          quoteMint: keyAt(data, 168),
          baseMint: keyAt(data, 200)
        }
      : null
  }
}

const isSwap = (type: number | undefined) => type === 0 || type === 1

/** What is wrong with an event; undefined: its bytes fit its layout. */
function faultIn (
  { name, slot, at, seq }: EventBody, data: Buffer, layout: Layout | undefined, state: number | undefined
): string | undefined {
  if (seq === null) return `${data.length} bytes end before the sequence number`
  if (slot === null || at === null) return `${name} with an impossible slot or time`
  if (layout === undefined) return UNKNOWN_KIND
  if (state === undefined && !isBare(layout, data.length)) return `${name} of ${data.length} bytes`
  if (name === 'SpotSwap' && !isSwap(data[104])) return `SpotSwap of type ${data[104]}`
  if (name === 'ConditionalSwap' && (!isSwap(data[137]) || MARKETS[data[136]!] === undefined)) {
    return `ConditionalSwap of type ${data[137]} on market ${data[136]}`
  }
  return undefined
}

/**
 * Reads one event from its instruction data, tag included (programs/futarchy/src/events.rs). Never throws: what fits no
 * known layout is 'Unreadable' or 'Unknown', with its raw bytes.
 */
export function decodeEvent (data: Buffer): EventBody {
  const layout = data.length >= 16 ? layoutOf(data) : undefined
  const body = blank(data, layout)
  const state = layout && stateAt(data, layout)
  const reason = faultIn(body, data, layout, state)
  if (layout === undefined || reason !== undefined) {
    const name = reason === UNKNOWN_KIND ? 'Unknown' : 'Unreadable'
    return { ...body, name, keepsFees: false, candidates: keysAt(data), reason: reason!, raw: data }
  }
  if (state !== undefined) {
    const { reserves, fees } = poolAt(data, state)
    Object.assign(body, { reserves, fees })
  }
  if (layout.liquidity !== undefined) {
    const { quote, base, sign } = layout.liquidity
    body.liquidity = { quote: sign * data.readBigUInt64LE(quote), base: sign * data.readBigUInt64LE(base) }
  }
  if (layout.name === 'LaunchProposal' && state !== undefined && ammState(data, state) === 'futarchy') {
    const { quote, base } = poolAt(data, state, 'pass').reserves
    body.liquidity = { quote: -quote, base: -base }
  }
  if (layout.name === 'InitializeDao') body.fees = { quote: 0n, base: 0n }
  if (layout.name === 'SpotSwap') body.swap = swapAt(data, 104, 105)
  if (TOLD_KINDS.includes(layout.name)) body.facts = factsOf(layout.name, body.proposal, data, state)
  return body
}
