import { ratio } from '../../lib/decimal.js'
import type { ProgramEvent } from '../../lib/protocol/events.js'

export const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
export const VALUATION = { rate: ratio(5n, 1000n), basis: 'input' as const }

export interface SwapOfBench {
  slot: number
  /** Unix seconds. */
  at: number
  seq: bigint
  /** Any name: stores take it for an address. */
  dao: string
  /** What the pool has collected in quote so far, raw units. */
  fees: bigint
  reserves: ProgramEvent['reserves']
}

/** Raw units of the swap in a slot: 977 different ones follow one another. */
export const inputOf = (slot: number): bigint => BigInt(1_000_003 + slot % 977)

/** A purchase as the program would have told of it, made without a chain. */
export function swapEvent ({ fees, ...swap }: SwapOfBench): ProgramEvent {
  const input = inputOf(swap.slot)
  return {
    name: 'SpotSwap',
    ...swap,
    proposal: null,
    candidates: [],
    fees: { quote: fees, base: 0n },
    keepsFees: false,
    swap: { side: 'buy', input, output: input * 7n / 3n },
    user: `user${Number(input) % 97}`,
    liquidity: null,
    facts: null,
    reason: null,
    raw: null,
    outer: 0,
    inner: 0,
    accounts: []
  }
}
