/** Between what the store's interface speaks of and the rows of the tables. */
import type { Insertable, Selectable } from 'kysely'
import { parseFraction } from './sums.js'
import type { Interval, Segment, StoredEvent, SwapRow, UnplacedEvent } from './store.js'
import type { Tables } from './tables.js'

/** A sequence number as text of 20 digits, the length of 2^64 − 1: ordered as the numbers are. */
export const seqText = (seq: bigint): string => seq.toString().padStart(20, '0')

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
    place: event.place,
    side: swap?.side ?? null,
    input: text(swap?.input),
    output: text(swap?.output),
    fee: text(swap?.fee),
    quote_fees: text(fees?.quote),
    base_fees: text(fees?.base),
    quote_reserves: text(reserves?.quote),
    base_reserves: text(reserves?.base),
    reason: event.reason,
    raw: event.raw?.toString('base64') ?? null
  }
}

export function swapOf (row: Pick<Selectable<Tables['events']>, 'seq' | 'at' | 'side' | 'input' | 'output' | 'fee'>, dao: string): SwapRow {
  return {
    dao,
    seq: BigInt(row.seq),
    at: Number(row.at),
    side: side(row.side),
    input: BigInt(row.input ?? 0),
    output: BigInt(row.output ?? 0),
    fee: row.fee === null ? null : BigInt(row.fee)
  }
}

export function unplacedRow (event: UnplacedEvent): Insertable<Tables['unplaced']> {
  const [a = null, b = null] = event.keys
  return {
    signature: event.signature,
    place: event.place,
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

export function unplacedOf (row: Selectable<Tables['unplaced']>): UnplacedEvent {
  return {
    signature: row.signature,
    place: Number(row.place),
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

export function intervalRow (interval: Interval, dao: number): Insertable<Tables['intervals']> {
  const { top, open } = interval
  return {
    dao,
    low: seqText(interval.low),
    high: seqText(interval.high),
    low_slot: interval.lowSlot,
    high_slot: interval.highSlot,
    low_at: interval.lowAt,
    high_at: interval.highAt,
    through: interval.through ? 1 : 0,
    top_quote: text(top?.quote),
    top_base: text(top?.base),
    open_seq: open === null ? null : seqText(open.seq),
    open_at: open?.at ?? null,
    open_side: open?.side ?? null,
    open_input: text(open?.input),
    open_output: text(open?.output),
    open_post: text(open?.post)
  }
}

export function intervalOf (row: Selectable<Tables['intervals']>): Interval {
  return {
    low: BigInt(row.low),
    high: BigInt(row.high),
    lowSlot: Number(row.low_slot),
    highSlot: Number(row.high_slot),
    lowAt: Number(row.low_at),
    highAt: Number(row.high_at),
    through: Number(row.through) === 1,
    top: sides(row.top_quote, row.top_base),
    open: row.open_seq === null
      ? null
      : {
          seq: BigInt(row.open_seq),
          at: Number(row.open_at),
          side: side(row.open_side),
          input: BigInt(row.open_input ?? 0),
          output: BigInt(row.open_output ?? 0),
          post: BigInt(row.open_post ?? 0)
        }
  }
}

export const segmentRow = (segment: Segment): Insertable<Tables['segments']> => ({
  newest: segment.newest,
  newest_slot: segment.newestSlot,
  oldest: segment.oldest,
  oldest_slot: segment.oldestSlot,
  oldest_time: segment.oldestTime,
  anchor: segment.anchor
})

export const segmentOf = (row: Selectable<Tables['segments']>): Segment => ({
  newest: row.newest,
  newestSlot: Number(row.newest_slot),
  oldest: row.oldest,
  oldestSlot: Number(row.oldest_slot),
  oldestTime: nullable(row.oldest_time),
  anchor: row.anchor
})

/** A valuation is noted as "basis n/d". */
export function valuationOf (noted: string) {
  const [basis = '', fraction = ''] = noted.split(' ')
  return { basis: basis === 'fees' ? 'fees' as const : 'auto' as const, rate: parseFraction(fraction) }
}
