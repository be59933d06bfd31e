/**
 * The port to what is kept on disk: rows in, rows out, no rules. Queries are shared by all engines; an engine brings
 * its connection, its lock and its column types.
 */
import type { VolumeRule } from '../../market/volume.js'
import type { Candle, CandleRow, Size } from '../rules/candles.js'
import type { AddedRows } from '../rules/tally.js'
import type { ToldEvent } from '../rules/unknown-kinds.js'
import type {
  DayMaker, FeeRate, IndexedRange, Loss, MarketKey, MissingTransaction, OtherFees, PoolEvent, ProposalEvent,
  SequenceRange, StoredEvent, StoreState, SwapRow, Trade, UnattributedEvent
} from '../rules/types.js'

/** Everything that one step changes; written in one transaction. Candles take the place of those that are stored. */
export interface StepChanges extends AddedRows {
  events: StoredEvent[]
  /** Fees of swaps stored earlier that have become known. */
  fees: Array<{ dao: string, seq: bigint, fee: bigint }>
  sequenceRanges: Array<{ dao: string, put: SequenceRange[], drop: bigint[] }>
  /** Swaps per observed fee rate that disagrees with the configured one. */
  rates: Array<{ bps: string, swaps: number }>
  firstSwaps: Array<{ dao: string, at: number }>
  proposals: Array<{ proposal: string, dao: string }>
  unattributed: UnattributedEvent[]
  attributed: Array<{ signature: string, eventIndex: number }>
  missing: MissingTransaction[]
  found: string[]
  /** All indexed ranges, newest first, where they change. */
  indexedRanges: IndexedRange[] | null
  /** The walk has reached the beginning that the node offers. */
  ended: boolean
  /** All losses, newest first, where they change. */
  losses: Loss[] | null
  /** All numbers of accounts that are past what is stored, by DAO, where they change. */
  numbersAhead: ReadonlyMap<string, bigint> | null
  /** Where it changes. */
  beginning: number | null
  events_total: number
  swaps_total: number
}

/** Rows that arrived or changed up to `revision`: what a reader asks for next comes after it. */
export interface Since<T> {
  revision: number
  rows: T[]
}

/** Bounds are Unix seconds, both included. */
export interface TradesQuery {
  dao: string
  /** Trades of this market of a proposal, in place of the pool's. */
  market?: MarketKey
  /** Only trades older than the one with this number, which itself need not exist. */
  before?: bigint
  since?: number
  until?: number
  /** Only trades of this side, and of these only those that have a price. */
  side?: 'buy' | 'sell'
  limit: number
}

/** Up to which slot, finalized and with its Unix second, block ranges are given out: from then on they never change. */
export interface PublishedSlot { slot: number, at: number }

/** A place in the order of the chain. */
export interface ChainPosition { slot: number, blockIndex: number, eventIndex: number }

/** Slots, both included. An event whose index in the block is not known yet comes first in its slot. */
export interface PoolEventsQuery {
  from: number
  to: number
  /** Only events behind this one. */
  after?: ChainPosition
  limit: number
}

/** Unix seconds from `from` to before `to`. */
export interface CandleRange { from: number, to: number, limit: number }

/** Unix seconds from `from` to before `to`; without prices a candle has its sums alone. */
export interface CandlesOfAll { from: number, to: number, withPrices: boolean }

export interface TimedCandle extends Candle { start: number }

/** How far a rebuild is: all swaps up to this revision are counted, so many. */
export interface RebuiltTo { revision: number, swaps: number }

/** What a page of swaps makes of the candles and of what else is made of them; the first one empties what there was. */
export interface RebuiltPage extends AddedRows {
  valuation: VolumeRule
  isFirst: boolean
  /** null: that was all. */
  upTo: RebuiltTo | null
  feeRates: FeeRate[]
  rates: Array<{ bps: string, swaps: number }>
}

export interface IncompleteEvent
  extends Pick<PoolEvent, 'dao' | 'seq' | 'slot' | 'at' | 'signature' | 'eventIndex' | 'maker'> { isTrade: boolean }

/** Why an event is not understood; null: it has left its pool alone. */
export interface JudgedEvent { dao: string, seq: bigint, reason: string | null }

/** null: still not known. */
export interface CompletedEvent
  extends Pick<StoredEvent, 'dao' | 'seq' | 'maker' | 'blockIndex' | 'liquidity' | 'facts'> {}

/** `isLate`: it came when its slot had been published. */
export interface FirstEvent extends Pick<PoolEvent, 'kind' | 'slot' | 'at' | 'signature' | 'maker'> { isLate: boolean }

/** Every method throws HISTORY_UNAVAILABLE when the store can't be read or written. */
export interface Store {
  load (): Promise<StoreState>
  write (changes: StepChanges): Promise<void>
  /** The rule that candles are made by; null in a new store, and while they are made anew. */
  valuation (): Promise<VolumeRule | null>
  /** A rebuild that has not ended. */
  rebuilding (): Promise<RebuiltTo & { valuation: VolumeRule } | null>
  writeRebuilt (page: RebuiltPage): Promise<void>
  /** The candles of these keys; one that is not stored is left out. */
  candles (size: Size, keys: ReadonlyArray<Pick<CandleRow, 'dao' | 'start'>>): Promise<CandleRow[]>
  /** Candles of a DAO that begin in the range and have trades, oldest first; at most `limit`, the newest. */
  candlesOf (dao: string, size: Size, range: CandleRange): Promise<TimedCandle[]>
  /** Candles of some DAOs that begin in the range, in no order. */
  candlesOfAll (daos: readonly string[], size: Size, range: CandlesOfAll): Promise<CandleRow[]>
  /** Their swaps from the Unix second `from` to before `to`. */
  swapsOfAll (daos: readonly string[], from: number, to: number): Promise<SwapRow[]>
  /** How many traded with each of them in that time, and how many trades have no known maker. */
  traders (daos: readonly string[], from: number, to: number): Promise<Map<string, { makers: number, unnamed: number }>>
  /** How many traded on the days of a DAO that begin in that time, by the Unix second at which a day begins. */
  makers (dao: string, from: number, to: number): Promise<Map<number, number>>
  /** The first `limit` days that arrived or changed after `revision`. */
  daysAfter (revision: number, limit: number): Promise<Since<CandleRow>>
  /** Trades of a DAO, newest first. */
  trades (query: TradesQuery): Promise<Trade[]>
  /**
   * Events that changed a pool, of all DAOs, in the order of the chain. What came after its slot had been published is
   * left out.
   */
  poolEvents (query: PoolEventsQuery): Promise<PoolEvent[]>
  /** How far block ranges have been published; null: not yet. */
  published (): Promise<PublishedSlot | null>
  /** Publishes block ranges up to a slot; one that is no newer than what is published changes nothing. */
  publish (slot: PublishedSlot): Promise<void>
  /** What began a DAO: its event number 1; null where it is not stored. */
  firstEvent (dao: string): Promise<FirstEvent | null>
  /** The fee rates that a DAO's swaps show, from the oldest on. */
  feeRates (dao: string): Promise<FeeRate[]>
  /** The newest trade that has a price, up to the Unix second `at`, of each DAO, or of each of `daos`. */
  lastTrades (at: number, daos?: readonly string[]): Promise<Trade[]>
  /** The revision of the newest step. */
  revision (): Promise<number>
  /** DAOs with trades from the Unix second `from` to before `to`. */
  daosTraded (from: number, to: number): Promise<string[]>
  /** DAOs with trades that arrived or changed after `revision` and happened from `from` to before `to`. */
  daosChanged (revision: number, from: number, to: number): Promise<Since<string>>
  /** Slots of the oldest and the newest event whose maker or index in the block is not known yet; null: all are. */
  incompleteSlots (): Promise<{ oldest: number, newest: number } | null>
  /** Unix seconds of a DAO's oldest and newest trade whose maker is not known yet; null: all are. */
  unnamedTrades (dao: string): Promise<{ oldest: number, newest: number } | null>
  /** Whether events of this DAO, or of any, have been stored without what they tell of decisions and external pools. */
  untold (dao?: string): Promise<boolean>
  /** What made, decided or ended this proposal, or any, in no order. */
  proposalEvents (proposal?: string): Promise<ProposalEvent[]>
  /** What came to the fees of all DAOs from outside of their swaps, in no order. */
  otherFees (): Promise<OtherFees[]>
  /** Events of a DAO from the number `from` on, in their order. */
  eventsOf (dao: string, from: bigint, limit: number): Promise<ToldEvent[]>
  /** Events of unknown kinds of which it is not known yet what they did, the newest first. */
  unjudged (limit: number): Promise<Array<{ dao: string, seq: bigint }>>
  /** Gives what is left: the Unix second of the newest event of each DAO that is not understood. */
  judge (found: readonly JudgedEvent[]): Promise<Map<string, number>>
  /** All swaps in the order of their revisions, by pages; `rows` is empty at the end. */
  swapsPage (after: number, limit: number): Promise<Since<SwapRow & { slot: number }>>
  /** Events whose maker or index in the block is not known, of slots between the two, both excluded; newest first. */
  incomplete (query: { above: number, below: number, limit: number }): Promise<IncompleteEvent[]>
  /** Notes what has been learnt of such events, and who traded on their days. */
  complete (events: readonly CompletedEvent[], makers: readonly DayMaker[]): Promise<void>
  /** Where the events of the given numbers were found; a number that is not stored is left out. */
  origins (
    keys: ReadonlyArray<{ dao: string, seq: bigint }>
  ): Promise<Array<{ dao: string, seq: bigint, signature: string, eventIndex: number }>>
  unattributed (keys: readonly string[]): Promise<UnattributedEvent[]>
  /** Binds the store to a network, by its genesis hash. Throws WRONG_NETWORK where it holds the rows of another. */
  bindNetwork (genesis: string): Promise<void>
  close (): Promise<void>
}
