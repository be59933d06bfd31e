/** Between what the store's interface speaks of and the rows of the tables. */
import type { Insertable, Selectable } from 'kysely'
import { parseFraction, type NotedRule } from '../rules/fixed-point.js'
import type { PoolEvent, SequenceRange, IndexedRange, StoredEvent, StoredSwap, SwapRow, Trade, UnattributedEvent } from '../rules/types.js'
import type { Tables } from './table-types.js'

/** A sequence number as text of 20 digits, the length of 2^64 − 1: ordered as the numbers are. */
export const seqText = (seq: bigint): string => seq.toString().padStart(20, '0')

/** Sequence numbers by DAO as one text, and read again. */
export const numbersText = (numbers: ReadonlyMap<string, bigint>): string => Array.from(numbers, ([dao, seq]) => `${dao} ${seq}`).join('\n')
export const numbersOf = (text: string): Map<string, bigint> => new Map(text.split('\n').filter(line => line !== '').map(line => {
  const [dao = '', seq = ''] = line.split(' ')
  return [dao, BigInt(seq)]
}))

const text = (value: bigint | null | undefined): string | null => value?.toString() ?? null
const sides = (quote: string | null, base: string | null) =>
  quote === null || base === null ? null : { quote: BigInt(quote), base: BigInt(base) }
const side = (value: string | null) => value === 'sell' ? 'sell' as const : 'buy' as const
const nullable = (value: number | string | null) => value === null ? null : Number(value)

export function eventRow (event: StoredEvent, dao: number, change: number): Insertable<Tables['events']> {
  const { swap, fees, reserves } = event
  return {
    change,
    dao,
    seq: seqText(event.seq),
    kind: event.kind,
    slot: event.slot,
    at: event.at,
    signature: event.signature,
    place: event.eventIndex,
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
    base_change: text(event.liquidity?.base)
  }
}

export function swapOf (row: Pick<Selectable<Tables['events']>, 'seq' | 'at' | 'maker' | SwapColumn>, dao: string): SwapRow {
  const { side, input, output, fee } = storedSwapOf(row)
  return { dao, seq: BigInt(row.seq), at: Number(row.at), maker: row.maker, side, input, output, fee }
}

type SwapColumn = 'side' | 'input' | 'output' | 'fee'

function storedSwapOf (row: Pick<Selectable<Tables['events']>, SwapColumn>): StoredSwap {
  return {
    side: side(row.side),
    input: BigInt(row.input ?? 0),
    output: BigInt(row.output ?? 0),
    fee: row.fee === null ? null : BigInt(row.fee)
  }
}

/** What a trade is made of and no more: turning columns into values is most of what reading a thousand of them costs. */
export const TRADE_COLUMNS = ['seq', 'kind', 'slot', 'at', 'signature', 'place', 'block_index', 'maker', 'side', 'input', 'output', 'fee', 'quote_reserves', 'base_reserves'] as const
export const POOL_EVENT_COLUMNS = ['dao', ...TRADE_COLUMNS, 'quote_change', 'base_change'] as const

type EventColumns = Pick<Selectable<Tables['events']>, typeof TRADE_COLUMNS[number]> & Partial<Pick<Selectable<Tables['events']>, 'quote_change' | 'base_change'>>

/** Of a row whose changes were not read, `liquidity` is null, as it is of every trade. */
export function poolEventOf (row: EventColumns, dao: string): PoolEvent {
  return {
    dao,
    seq: BigInt(row.seq),
    kind: row.kind,
    slot: Number(row.slot),
    at: Number(row.at),
    signature: row.signature,
    eventIndex: Number(row.place),
    blockIndex: nullable(row.block_index),
    maker: row.maker,
    swap: row.side === null ? null : storedSwapOf(row),
    liquidity: sides(row.quote_change ?? null, row.base_change ?? null),
    reserves: sides(row.quote_reserves, row.base_reserves)
  }
}

/** `row`: one whose `side` is not null, so that it has a swap. */
export const tradeOf = (row: EventColumns, dao: string): Trade => poolEventOf(row, dao) as Trade

export function storedEventOf (row: Selectable<Tables['events']>, dao: string): StoredEvent {
  return { ...poolEventOf(row, dao), fees: sides(row.quote_fees, row.base_fees), reason: row.reason, raw: row.raw === null ? null : Buffer.from(row.raw, 'base64') }
}

export function unattributedRow (event: UnattributedEvent): Insertable<Tables['unplaced']> {
  const [a = null, b = null] = event.keys
  return {
    signature: event.signature,
    place: event.eventIndex,
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

export function unattributedOf (row: Selectable<Tables['unplaced']>): UnattributedEvent {
  return {
    signature: row.signature,
    eventIndex: Number(row.place),
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

export function sequenceRangeRow (range: SequenceRange, dao: number): Insertable<Tables['intervals']> {
  const { feeBalancesAfter, pendingSwap } = range
  return {
    dao,
    low: seqText(range.first),
    high: seqText(range.last),
    low_slot: range.firstSlot,
    high_slot: range.lastSlot,
    low_at: range.firstAt,
    high_at: range.lastAt,
    through: range.keepsFees ? 1 : 0,
    top_quote: text(feeBalancesAfter?.quote),
    top_base: text(feeBalancesAfter?.base),
    open_seq: pendingSwap === null ? null : seqText(pendingSwap.seq),
    open_at: pendingSwap?.at ?? null,
    open_side: pendingSwap?.side ?? null,
    open_input: text(pendingSwap?.input),
    open_output: text(pendingSwap?.output),
    open_post: text(pendingSwap?.feeBalanceAfter)
  }
}

export function sequenceRangeOf (row: Selectable<Tables['intervals']>): SequenceRange {
  return {
    first: BigInt(row.low),
    last: BigInt(row.high),
    firstSlot: Number(row.low_slot),
    lastSlot: Number(row.high_slot),
    firstAt: Number(row.low_at),
    lastAt: Number(row.high_at),
    keepsFees: Number(row.through) === 1,
    feeBalancesAfter: sides(row.top_quote, row.top_base),
    pendingSwap: row.open_seq === null
      ? null
      : {
          seq: BigInt(row.open_seq),
          at: Number(row.open_at),
          side: side(row.open_side),
          input: BigInt(row.open_input ?? 0),
          output: BigInt(row.open_output ?? 0),
          feeBalanceAfter: BigInt(row.open_post ?? 0)
        }
  }
}

export const indexedRangeRow = (range: IndexedRange): Insertable<Tables['segments']> => ({
  newest: range.newest,
  newest_slot: range.newestSlot,
  oldest: range.oldest,
  oldest_slot: range.oldestSlot,
  oldest_time: range.oldestTime,
  anchor: range.anchor
})

export const indexedRangeOf = (row: Selectable<Tables['segments']>): IndexedRange => ({
  newest: row.newest,
  newestSlot: Number(row.newest_slot),
  oldest: row.oldest,
  oldestSlot: Number(row.oldest_slot),
  oldestTime: nullable(row.oldest_time),
  anchor: row.anchor
})

/** A valuation is noted as "basis n/d". */
export function parseValuation (noted: string): NotedRule {
  const [basis = '', fraction = ''] = noted.split(' ')
  return { basis, rate: parseFraction(fraction) }
}
