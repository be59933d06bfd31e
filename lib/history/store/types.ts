import type { VolumeRule } from '../../market/volume.js'
import type { StepPlan } from '../rules/plan-step.js'
import type { AddedRows } from '../rules/tally.js'
import type {
  FeeRate, MarketKey, MissingTransaction, PoolEvent, RebuiltTo, StoredEvent, StoreState
} from '../rules/rows.js'

/** Candles and ranges replace the stored ones. */
export interface StepChanges extends Omit<StepPlan, 'swaps' | 'rates'> {
  missing: readonly MissingTransaction[]
  found: readonly string[]
  state: Partial<NotedState>
}

export type NotedState = Pick<
  StoreState, 'indexedRanges' | 'ended' | 'losses' | 'numbersAhead' | 'numbersBefore' | 'events' | 'swaps' | 'rates'
>

/** Up to `revision`. */
export interface Since<T> {
  revision: number
  rows: T[]
}

export interface TradesQuery {
  dao: string
  /** Else the spot pool. */
  market?: MarketKey
  /** Only those before this sequence number, which need not exist. */
  before?: bigint
  since?: number
  until?: number
  /** Only those of this side that have a price. */
  side?: 'buy' | 'sell'
  limit: number
}

/** Up to which block ranges are published, and never change: a finalized slot and its Unix second. */
export interface PublishedSlot { slot: number, at: number }

export interface ChainPosition { slot: number, blockIndex: number, eventIndex: number }

/** Slots, both included. An event of unknown index in the block comes first in its slot. */
export interface PoolEventsQuery {
  from: number
  to: number
  /** Only events behind this one. */
  after?: ChainPosition
  limit: number
}

export interface CandleRange { from: number, to: number, limit: number }

/** Made of a page of swaps; the first empties the tables. */
export interface RebuiltPage extends AddedRows {
  valuation: VolumeRule
  isFirst: boolean
  /** null: all are counted. */
  upTo: RebuiltTo | null
  feeRates: FeeRate[]
  /** Of all pages. */
  rates: StoreState['rates']
}

export interface IncompleteEvent extends PoolEvent { revision: number }

/** What is learnt of a stored event; none or null: nothing, but `reason` null: it has left its pool alone. */
export interface AmendedEvent
  extends Pick<StoredEvent, 'dao' | 'seq'>,
  Partial<Pick<StoredEvent, 'maker' | 'blockIndex' | 'liquidity' | 'facts' | 'reason'>> {}

/** Amounts are raw quote units as executed. */
export interface Traders {
  buys: number
  sells: number
  buyQuote: bigint
  sellQuote: bigint
  /** Users; null while not known of each trade. */
  makers: number | null
  buyers: number | null
  sellers: number | null
}
