/** The port to what is kept on disk: rows in, rows out, no rules. */
import type { VolumeRule } from '../../market/volume.js'
import type { CandleRow, Size, TimedCandle } from '../rules/candles.js'
import type { StepPlan } from '../rules/plan-step.js'
import type { AddedRows } from '../rules/tally.js'
import type { ToldEvent } from '../rules/unknown-kinds.js'
import type {
  CloseRow, DayMaker, FeeRate, MarketKey, MissingTransaction, OtherFees, PoolEvent, ProposalEvent, RebuiltTo,
  StoredEvent, StoreState, Trade, UnattributedEvent
} from '../rules/types.js'

/** All that one step changes, in one transaction. Candles, ranges and rates replace those that are stored. */
export interface StepChanges extends Omit<StepPlan, 'repeated' | 'swaps'> {
  proposals: ReadonlyMap<string, string>
  unattributed: readonly UnattributedEvent[]
  attributed: ReadonlyArray<{ signature: string, eventIndex: number }>
  missing: readonly MissingTransaction[]
  found: readonly string[]
  state: Partial<NotedState>
}

export type NotedState =
  Pick<StoreState, 'indexedRanges' | 'ended' | 'losses' | 'numbersAhead' | 'events' | 'swaps'>

/** What has changed up to `revision`. */
export interface Since<T> {
  revision: number
  rows: T[]
}

export interface TradesQuery {
  dao: string
  /** In place of the pool. */
  market?: MarketKey
  /** Only those before this number, which need not exist. */
  before?: bigint
  since?: number
  until?: number
  /** Of these only those that have a price. */
  side?: 'buy' | 'sell'
  limit: number
}

/** Up to here block ranges are given out and never change: a finalized slot and its Unix second. */
export interface PublishedSlot { slot: number, at: number }

export interface ChainPosition { slot: number, blockIndex: number, eventIndex: number }

/** Slots, both included. An event without a known index in the block comes first in its slot. */
export interface PoolEventsQuery {
  from: number
  to: number
  /** Only events behind this one. */
  after?: ChainPosition
  limit: number
}

export interface CandleRange { from: number, to: number, limit: number }

/** Made of a page of swaps; the first empties what there was. */
export interface RebuiltPage extends AddedRows {
  valuation: VolumeRule
  isFirst: boolean
  /** null: that was all. */
  upTo: RebuiltTo | null
  feeRates: FeeRate[]
  rates: StepChanges['rates']
}

export interface IncompleteEvent extends PoolEvent { revision: number }

/** Of slots after `above`, and behind the event `behind` in their order. */
export interface IncompleteQuery {
  above: number
  behind?: Pick<IncompleteEvent, 'slot' | 'revision'> | undefined
  limit: number
}

/** What is learnt of a stored event: none or null where nothing is; of `reason` null: it has left its pool alone. */
export interface AmendedEvent
  extends Pick<StoredEvent, 'dao' | 'seq'>,
  Partial<Pick<StoredEvent, 'maker' | 'blockIndex' | 'liquidity' | 'facts' | 'reason'>> {}

/** `isLate`: it came when its slot had been published. */
export interface FirstEvent extends PoolEvent { isLate: boolean }

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

/** Every method throws HISTORY_UNAVAILABLE. */
export interface Store {
  /** A process that does not write learns of new DAOs by it. */
  load (): Promise<StoreState>
  write (changes: StepChanges): Promise<void>
  writeRebuilt (page: RebuiltPage): Promise<void>
  /** The candles of these keys; one that is not stored is left out. */
  candles (size: Size, keys: ReadonlyArray<Pick<CandleRow, 'dao' | 'start'>>): Promise<CandleRow[]>
  /** That begin in the range and have trades, oldest first; the newest `limit`. */
  candlesOf (dao: string, size: Size, range: CandleRange): Promise<TimedCandle[]>
  /** Candles of some DAOs that begin in the range, in no order. */
  candlesOfAll (daos: readonly string[], size: Size, range: Omit<CandleRange, 'limit'>): Promise<CandleRow[]>
  /** Their swaps from the Unix second `from` to before `to`. */
  swapsOfAll (daos: readonly string[], from: number, to: number): Promise<Trade[]>
  /** Per DAO, from the Unix second `from` to before `to`. */
  traders (daos: readonly string[], from: number, to: number): Promise<Map<string, Traders>>
  /** As `candlesOf`, with the number of those who traded; null while not known of each trade. */
  daysOf (dao: string, range: CandleRange): Promise<Array<TimedCandle & { makers: number | null }>>
  /** The first `limit` days that changed after `revision`. */
  daysAfter (revision: number, limit: number): Promise<Since<CandleRow>>
  /** As `daysAfter`, what pools held when a day ended. */
  closesAfter (revision: number, limit: number): Promise<Since<CloseRow>>
  trades (query: TradesQuery): Promise<Trade[]>
  /** Of all DAOs, in the order of the chain, without what came after its slot was published. */
  poolEvents (query: PoolEventsQuery): Promise<PoolEvent[]>
  /** null: nothing yet. */
  published (): Promise<PublishedSlot | null>
  /** A slot no newer than what is published changes nothing. */
  publish (slot: PublishedSlot): Promise<void>
  /** The newest block up to a slot that has a stored event. */
  newestBlock (upTo: number): Promise<PublishedSlot | null>
  /** Number 1 of a DAO. */
  firstEvent (dao: string): Promise<FirstEvent | null>
  /** Those that a DAO's swaps show, oldest first; without one, that of the newest swap of all. */
  feeRates (dao?: string): Promise<FeeRate[]>
  /** Of each DAO the newest trade with a price up to the Unix second `at`. */
  lastTrades (at: number, daos: readonly string[]): Promise<Trade[]>
  revision (): Promise<number>
  /** DAOs with trades from the Unix second `from` to before `to`. */
  daosTraded (from: number, to: number): Promise<string[]>
  /** As `daosTraded`, whose trades changed after `revision`. */
  daosChanged (revision: number, from: number, to: number): Promise<string[]>
  /** Of the oldest event whose maker or index in the block is unknown. */
  incompleteSlot (): Promise<number | null>
  /** Whether events of this DAO, or of any, lack what they tell of decisions and external pools. */
  untold (dao?: string): Promise<boolean>
  /** Of this proposal, or any, in no order. */
  proposalEvents (proposal?: string): Promise<ProposalEvent[]>
  otherFees (): Promise<OtherFees[]>
  /** Events of a DAO from the number `from` on, in their order. */
  eventsOf (dao: string, from: bigint, limit: number): Promise<ToldEvent[]>
  /** By DAO the numbers of events of unknown kinds that are not judged, ascending. */
  unjudged (): Promise<Map<string, bigint[]>>
  /** All swaps by their revisions; `rows` is empty at the end. */
  swapsPage (after: number, limit: number): Promise<Since<Trade>>
  /** Whose maker or index in the block is unknown, by slot and revision, newest first. */
  incomplete (query: IncompleteQuery): Promise<IncompleteEvent[]>
  /** Notes what is learnt of events, and who traded on their days. */
  amend (events: readonly AmendedEvent[], makers?: readonly DayMaker[]): Promise<void>
  /** One that is not stored is left out. */
  origins (keys: ReadonlyArray<{ dao: string, seq: bigint }>): Promise<PoolEvent[]>
  /** Those that wait for one of `keys`. */
  unattributed (keys: readonly string[]): Promise<UnattributedEvent[]>
  /** Binds the store to a network, by its genesis hash. Throws WRONG_NETWORK. */
  bindNetwork (genesis: string): Promise<void>
  /** Whether the last write was refused for want of room. */
  hasNoRoom (): boolean
  close (): Promise<void>
}
