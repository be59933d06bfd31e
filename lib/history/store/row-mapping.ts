/** Between what the store's interface speaks of and the rows of the tables. */
import type { Insertable, Selectable } from 'kysely'
import type { VolumeBasis, VolumeRule } from '../../market/volume.js'
import type { EventFacts } from '../../protocol/events.js'
import { fractionText, parseFraction } from '../rules/fixed-point.js'
import type {
  PoolEvent, SequenceRange, IndexedRange, StoredEvent, StoredSwap, SwapRow, Trade, UnattributedEvent
} from '../rules/types.js'
import type { Tables } from './table-types.js'
import type { Names } from './view.js'

/** 20 digits, the length of 2^64 − 1: ordered as the numbers are. */
export const seqText = (seq: bigint): string => seq.toString().padStart(20, '0')

/** Sequence numbers by DAO as one text, and read again. */
export const numbersText = (numbers: ReadonlyMap<string, bigint>): string =>
  Array.from(numbers, ([dao, seq]) => `${dao} ${seq}`).join('\n')
export const numbersOf = (text: string): Map<string, bigint> =>
  new Map(text.split('\n').filter(line => line !== '').map(line => {
    const [dao = '', seq = ''] = line.split(' ')
    return [dao, BigInt(seq)]
  }))

const text = (value: bigint | null | undefined): string | null => value?.toString() ?? null
export const sides = (quote: string | null, base: string | null) =>
  quote === null || base === null ? null : { quote: BigInt(quote), base: BigInt(base) }
const side = (value: string | null) => value === 'sell' ? 'sell' as const : 'buy' as const
export const nullable = (value: number | string | null) => value === null ? null : Number(value)

export function eventRow (event: StoredEvent, dao: number, revision: number): Insertable<Tables['events']> {
  const { swap, fees, reserves } = event
  return {
    revision,
    dao,
    seq: seqText(event.seq),
    kind: event.kind,
    slot: event.slot,
    at: event.at,
    signature: event.signature,
    event_index: event.eventIndex,
    side: swap?.side ?? null,
    input: text(swap?.input),
    output: text(swap?.output),
    fee: text(swap?.fee),
    quote_fees: text(fees?.quote),
    base_fees: text(fees?.base),
    quote_reserves: text(reserves?.quote),
    base_reserves: text(reserves?.base),
    reason: event.reason,
    raw: event.raw?.toString('base64') ?? null,
    maker: event.maker,
    block_index: event.blockIndex,
    quote_change: text(event.liquidity?.quote),
    base_change: text(event.liquidity?.base),
    ...factColumns(event.facts ?? null)
  }
}

export const factColumns = (facts: EventFacts | null) => ({
  proposal: facts?.proposal ?? null,
  market: facts?.swap?.market ?? null,
  facts: facts === null
    ? null
    : JSON.stringify(facts, (_, value) => typeof value === 'bigint' ? value.toString() : value)
})

type Stored<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: Stored<T[K]> } : T

/** Field by field: a reviver would take most of the time of a thousand trades. */
export function factsOf (text: string | null): EventFacts | null {
  if (text === null) return null
  const { proposal, swap, averages, collected }: Stored<EventFacts> = JSON.parse(text)
  return {
    proposal,
    swap: swap && {
      ...swap,
      input: BigInt(swap.input),
      output: BigInt(swap.output),
      reserves: swap.reserves && sides(swap.reserves.quote, swap.reserves.base)
    },
    averages: averages && {
      pass: BigInt(averages.pass), fail: BigInt(averages.fail), threshold: BigInt(averages.threshold)
    },
    collected: collected && { ...collected, quote: BigInt(collected.quote), base: BigInt(collected.base) }
  }
}

export const SWAP_COLUMNS = ['dao', 'seq', 'at', 'side', 'input', 'output', 'fee', 'maker'] as const
export type SwapEventRow = Pick<Selectable<Tables['events']>, typeof SWAP_COLUMNS[number]>

export const swapOf = (row: SwapEventRow, names: Names): SwapRow => ({
  dao: names.address(row.dao), seq: BigInt(row.seq), at: Number(row.at), maker: row.maker, ...storedSwapOf(row)
})

type SwapColumn = 'side' | 'input' | 'output' | 'fee'

function storedSwapOf (row: Pick<Selectable<Tables['events']>, SwapColumn>): StoredSwap {
  return {
    side: side(row.side),
    input: BigInt(row.input ?? 0),
    output: BigInt(row.output ?? 0),
    fee: row.fee === null ? null : BigInt(row.fee)
  }
}

/** No more: turning columns into values is most of what reading a thousand costs. */
export const TRADE_COLUMNS = [
  'seq', 'kind', 'slot', 'at', 'signature', 'event_index', 'block_index', 'maker', 'side', 'input', 'output', 'fee',
  'quote_reserves', 'base_reserves'
] as const
export const POOL_EVENT_COLUMNS = ['dao', ...TRADE_COLUMNS, 'quote_change', 'base_change'] as const

export type EventColumns = Pick<Selectable<Tables['events']>, typeof TRADE_COLUMNS[number]> &
  Partial<Pick<Selectable<Tables['events']>, 'quote_change' | 'base_change'>>
export type PoolEventRow = EventColumns & { dao: number }
export type MarketEventRow = EventColumns & { facts: string | null }

/** Without its changes read, `liquidity` is null, as it is of every trade. */
export function poolEventOf (row: EventColumns, dao: string): PoolEvent {
  return {
    dao,
    seq: BigInt(row.seq),
    kind: row.kind,
    slot: Number(row.slot),
    at: Number(row.at),
    signature: row.signature,
    eventIndex: Number(row.event_index),
    blockIndex: nullable(row.block_index),
    maker: row.maker,
    swap: row.side === null ? null : storedSwapOf(row),
    liquidity: sides(row.quote_change ?? null, row.base_change ?? null),
    reserves: sides(row.quote_reserves, row.base_reserves)
  }
}

/** No event states the fee of a conditional trade: a spot swap between two may move the balance. */
export function marketTradeOf (row: MarketEventRow, dao: string): Trade {
  const { side, input, output, reserves } = factsOf(row.facts)!.swap!
  return { ...poolEventOf(row, dao), swap: { side, input, output, fee: null }, reserves }
}

/** `row`: one whose `side` is not null, so that it has a swap. */
export const tradeOf = (row: EventColumns, dao: string): Trade => poolEventOf(row, dao) as Trade

export function unattributedRow (event: UnattributedEvent): Insertable<Tables['unattributed']> {
  const [a = null, b = null] = event.keys
  return {
    signature: event.signature,
    event_index: event.eventIndex,
    kind: event.kind,
    seq: event.seq === null ? null : seqText(event.seq),
    slot: event.slot,
    at: event.at,
    keeps_fees: event.keepsFees ? 1 : 0,
    key_a: a,
    key_b: b,
    reason: event.reason,
    raw: event.raw?.toString('base64') ?? null
  }
}

export function unattributedOf (row: Selectable<Tables['unattributed']>): UnattributedEvent {
  return {
    signature: row.signature,
    eventIndex: Number(row.event_index),
    kind: row.kind,
    seq: row.seq === null ? null : BigInt(row.seq),
    slot: Number(row.slot),
    at: nullable(row.at),
    keepsFees: Number(row.keeps_fees) === 1,
    keys: [row.key_a, row.key_b].filter(key => key !== null),
    reason: row.reason,
    raw: row.raw === null ? null : Buffer.from(row.raw, 'base64')
  }
}

export function sequenceRangeRow (range: SequenceRange, dao: number): Insertable<Tables['sequence_ranges']> {
  const { feeBalancesAfter, pendingSwap } = range
  return {
    dao,
    first_seq: seqText(range.first),
    last_seq: seqText(range.last),
    first_slot: range.firstSlot,
    last_slot: range.lastSlot,
    first_at: range.firstAt,
    last_at: range.lastAt,
    keeps_fees: range.keepsFees ? 1 : 0,
    quote_fees_after: text(feeBalancesAfter?.quote),
    base_fees_after: text(feeBalancesAfter?.base),
    pending_seq: pendingSwap === null ? null : seqText(pendingSwap.seq),
    pending_at: pendingSwap?.at ?? null,
    pending_side: pendingSwap?.side ?? null,
    pending_input: text(pendingSwap?.input),
    pending_output: text(pendingSwap?.output),
    pending_fees_after: text(pendingSwap?.feeBalanceAfter)
  }
}

export function sequenceRangeOf (row: Selectable<Tables['sequence_ranges']>): SequenceRange {
  return {
    first: BigInt(row.first_seq),
    last: BigInt(row.last_seq),
    firstSlot: Number(row.first_slot),
    lastSlot: Number(row.last_slot),
    firstAt: Number(row.first_at),
    lastAt: Number(row.last_at),
    keepsFees: Number(row.keeps_fees) === 1,
    feeBalancesAfter: sides(row.quote_fees_after, row.base_fees_after),
    pendingSwap: row.pending_seq === null
      ? null
      : {
          seq: BigInt(row.pending_seq),
          at: Number(row.pending_at),
          side: side(row.pending_side),
          input: BigInt(row.pending_input ?? 0),
          output: BigInt(row.pending_output ?? 0),
          feeBalanceAfter: BigInt(row.pending_fees_after ?? 0)
        }
  }
}

export const indexedRangeRow = (range: IndexedRange): Insertable<Tables['indexed_ranges']> => ({
  newest: range.newest,
  newest_slot: range.newestSlot,
  oldest: range.oldest,
  oldest_slot: range.oldestSlot,
  oldest_time: range.oldestTime,
  anchor: range.anchor
})

export const indexedRangeOf = (row: Selectable<Tables['indexed_ranges']>): IndexedRange => ({
  newest: row.newest,
  newestSlot: Number(row.newest_slot),
  oldest: row.oldest,
  oldestSlot: Number(row.oldest_slot),
  oldestTime: nullable(row.oldest_time),
  anchor: row.anchor
})

/** The rule by which volumes are counted, as "basis n/d", and read again. */
export const valuationText = ({ basis, rate }: VolumeRule): string => `${basis} ${fractionText(rate)}`
export function parseValuation (noted: string): VolumeRule {
  const [basis, fraction = ''] = noted.split(' ')
  return { basis: basis as VolumeBasis, rate: parseFraction(fraction) }
}
