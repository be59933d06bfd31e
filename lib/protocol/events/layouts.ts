import { hash } from 'node:crypto'

/**
 * What is known of an event's bytes. Offsets count from the start of the instruction's data: tag at 0, discriminator at
 * 8, slot at 16, time at 24, sequence number at 32, the event's own fields from 40 (programs/futarchy/src/events.rs).
 * Releases append fields under the same discriminator: the known prefix is read, a tail is ignored.
 */
export interface Layout {
  name: EventName
  /** Where the keys of the DAO, of the proposal, and of who acted are; undefined: the event has none. */
  dao?: number
  proposal?: number
  user?: number
  /** Where the amounts are that went into the spot pool (sign 1) or came out of it (sign −1). */
  liquidity?: { quote: number, base: number, sign: 1n | -1n }
  /** Bytes of an event without AMM state: so many at least; of one that has carried it since, exactly so many. */
  size?: number
  /** Where `post_amm_state` may begin, by release, the newest last. */
  amm?: readonly number[]
  /** The event can't change the spot pool's fee balances even where it carries no state. */
  keepsFees?: boolean
}

const EVENTS = {
  SpotSwap: { dao: 40, user: 72, size: 129, amm: [129] },
  ConditionalSwap: { dao: 40, proposal: 72, user: 104, size: 162, amm: [162] },
  CollectFees: { dao: 40, amm: [280] },
  InitializeDao: { dao: 40, size: 263 },
  UpdateDao: { dao: 40, size: 134, keepsFees: true },
  InitializeProposal: { proposal: 40, dao: 72, size: 337, keepsFees: true },
  StakeToProposal: { proposal: 40, size: 120, keepsFees: true },
  UnstakeFromProposal: { proposal: 40, size: 120, keepsFees: true },
  LaunchProposal: { proposal: 40, dao: 72, amm: [112, 120] },
  FinalizeProposal: { proposal: 40, dao: 72, amm: [217] },
  ProvideLiquidity: {
    dao: 40, user: 72, liquidity: { quote: 136, base: 144, sign: 1n }, size: 184, amm: [184], keepsFees: true
  },
  WithdrawLiquidity: {
    dao: 40, user: 72, liquidity: { quote: 144, base: 136, sign: -1n }, size: 152, amm: [152], keepsFees: true
  },
  SponsorProposal: { proposal: 40, dao: 72, size: 136, keepsFees: true },
  CollectMeteoraDammFees: { dao: 40, size: 248, keepsFees: true },
  RemoveProposal: { proposal: 40, dao: 72, size: 136, keepsFees: true },
  AdminCancelProposal: { proposal: 40, dao: 72, amm: [136] },
  AdminFixPositionAuthority: { dao: 40, size: 200, keepsFees: true },
  InitiateVaultSpendOptimisticProposal: { dao: 40, size: 312, keepsFees: true },
  FinalizeOptimisticProposal: { dao: 40, size: 104, keepsFees: true },
  ApproveProposal: { proposal: 40, dao: 72, size: 136, keepsFees: true },
  AdminUpdateProposalParams: { dao: 40, proposal: 72, size: 148, keepsFees: true },
  SetSpendingLimit: { dao: 40, size: 73, keepsFees: true },
  SyncSpendingLimit: { dao: 40, size: 105, keepsFees: true },
  ApplyLiquidation: { dao: 40, proposal: 72, user: 104, amm: [152] }
} as const satisfies Record<string, Omit<Layout, 'name'>>

export type EventName = keyof typeof EVENTS

const TABLE = Object.entries<Omit<Layout, 'name'>>(EVENTS)
  .map(([name, layout]): Layout => ({ name: name as EventName, ...layout }))

/** Names of events that tell of a decision, or of what an external pool's position has earned. */
export const TOLD_KINDS: readonly EventName[] = [
  'InitializeProposal', 'FinalizeProposal', 'AdminCancelProposal', 'RemoveProposal', 'ConditionalSwap',
  'CollectMeteoraDammFees'
]

/** Names of events that leave the fee balances as they were. */
export const NEUTRAL_KINDS = TABLE.filter(({ keepsFees }) => keepsFees).map(({ name }) => name)

/** By the discriminator: the first 8 bytes of the hash of the name. */
const LAYOUTS = new Map(TABLE.map(layout =>
  [hash('sha256', `event:${layout.name}Event`, 'buffer').readBigUInt64LE(), layout]))

/** The layout of the event whose discriminator is at byte 8 of `data`, undefined for a name that is not known. */
export const layoutOf = (data: Buffer): Layout | undefined => LAYOUTS.get(data.readBigUInt64LE(8))
