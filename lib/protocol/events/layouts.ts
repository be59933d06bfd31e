/**
 * What is known of each event's bytes. Offsets count from the start of the instruction's data: tag at 0, discriminator
 * at 8, slot at 16, time at 24, sequence number at 32, the event's own fields from 40
 * (programs/futarchy/src/events.rs). Releases append fields under the same discriminator, which is a hash of the name
 * alone: the known prefix is read, a tail is ignored.
 */
export interface Layout {
  name: EventName
  /** Where the DAO's key is; undefined: the event has none. */
  dao?: number
  proposal?: number
  /** Where the key is of who acted: swapped, or gave or took liquidity. */
  user?: number
  /** Where the amounts are that went into the spot pool (sign 1) or came out of it (sign −1). */
  liquidity?: { quote: number, base: number, sign: 1n | -1n }
  /**
   * Bytes of an event that carries no AMM state: so many at least; of one that has carried it since, exactly so many.
   */
  size?: number
  /** Where `post_amm_state` may begin, by release, the newest last. */
  amm?: readonly number[]
  /** The event can't change the spot pool's fee balances even where it carries no state. */
  keepsFees?: boolean
}

export type EventName =
  | 'SpotSwap' | 'ConditionalSwap' | 'CollectFees' | 'InitializeDao' | 'UpdateDao' | 'InitializeProposal'
  | 'StakeToProposal' | 'UnstakeFromProposal' | 'LaunchProposal' | 'FinalizeProposal'
  | 'ProvideLiquidity' | 'WithdrawLiquidity'
  | 'SponsorProposal' | 'CollectMeteoraDammFees' | 'RemoveProposal' | 'AdminCancelProposal'
  | 'AdminFixPositionAuthority'
  | 'InitiateVaultSpendOptimisticProposal' | 'FinalizeOptimisticProposal' | 'ApproveProposal'
  | 'AdminUpdateProposalParams'
  | 'SetSpendingLimit' | 'SyncSpendingLimit' | 'ApplyLiquidation'

/** First 8 bytes of sha256(`event:<Name>Event`), as hex. */
const TABLE: ReadonlyArray<readonly [string, Layout]> = [
  ['1dfd79ff523c94c3', { name: 'SpotSwap', dao: 40, user: 72, size: 129, amm: [129] }],
  ['02a6c8a05ed4442d', { name: 'ConditionalSwap', dao: 40, proposal: 72, user: 104, size: 162, amm: [162] }],
  ['e2023543849e7dad', { name: 'CollectFees', dao: 40, amm: [280] }],
  ['773099747f25e2e4', { name: 'InitializeDao', dao: 40, size: 263 }],
  ['0c3af4e0ab192138', { name: 'UpdateDao', dao: 40, size: 134, keepsFees: true }],
  ['8d38f6c0a8fe406f', { name: 'InitializeProposal', proposal: 40, dao: 72, size: 337, keepsFees: true }],
  ['5e4544975a95f0bf', { name: 'StakeToProposal', proposal: 40, size: 120, keepsFees: true }],
  ['59813fd33721c2ab', { name: 'UnstakeFromProposal', proposal: 40, size: 120, keepsFees: true }],
  ['b137bf5dcb7cb80b', { name: 'LaunchProposal', proposal: 40, dao: 72, amm: [112, 120] }],
  ['2d1d7ab54fe0398d', { name: 'FinalizeProposal', proposal: 40, dao: 72, amm: [217] }],
  ['260225eee5d6ffeb', {
    name: 'ProvideLiquidity',
    dao: 40,
    user: 72,
    liquidity: { quote: 136, base: 144, sign: 1n },
    size: 184,
    amm: [184],
    keepsFees: true
  }],
  ['d606a12dbf8e7cba', {
    name: 'WithdrawLiquidity',
    dao: 40,
    user: 72,
    liquidity: { quote: 144, base: 136, sign: -1n },
    size: 152,
    amm: [152],
    keepsFees: true
  }],
  ['cabefab04feb4dc2', { name: 'SponsorProposal', proposal: 40, dao: 72, size: 136, keepsFees: true }],
  ['c172e1f1d1d5af55', { name: 'CollectMeteoraDammFees', dao: 40, size: 248, keepsFees: true }],
  ['8798fee0d051c5d7', { name: 'RemoveProposal', proposal: 40, dao: 72, size: 136, keepsFees: true }],
  ['7602574b5bd9477c', { name: 'AdminCancelProposal', proposal: 40, dao: 72, amm: [136] }],
  ['ae4f3e0196b6ec93', { name: 'AdminFixPositionAuthority', dao: 40, size: 200, keepsFees: true }],
  ['e0c2e9cdc687055a', { name: 'InitiateVaultSpendOptimisticProposal', dao: 40, size: 312, keepsFees: true }],
  ['40ab23ffe4c91261', { name: 'FinalizeOptimisticProposal', dao: 40, size: 104, keepsFees: true }],
  ['26ea24d6e53d431d', { name: 'ApproveProposal', proposal: 40, dao: 72, size: 136, keepsFees: true }],
  ['14c3f36aff5deebb', { name: 'AdminUpdateProposalParams', dao: 40, proposal: 72, size: 148, keepsFees: true }],
  ['f28bfc535f930f3a', { name: 'SetSpendingLimit', dao: 40, size: 73, keepsFees: true }],
  ['9b23ec54db3c73a7', { name: 'SyncSpendingLimit', dao: 40, size: 105, keepsFees: true }],
  ['3a50fce6b5c546cc', { name: 'ApplyLiquidation', dao: 40, proposal: 72, user: 104, amm: [152] }]
]

/** Names of events that tell of a decision, or of what an external pool's position has earned. */
export const TOLD_KINDS: readonly EventName[] = [
  'InitializeProposal', 'FinalizeProposal', 'AdminCancelProposal', 'RemoveProposal', 'ConditionalSwap',
  'CollectMeteoraDammFees'
]

const LAYOUTS = new Map(TABLE.map(([hex, layout]) => [Buffer.from(hex, 'hex').readBigUInt64LE(), layout]))
/** Names of events that leave the fee balances as they were. */
export const NEUTRAL_KINDS = TABLE.filter(([, { keepsFees }]) => keepsFees).map(([, { name }]) => name)
const NEUTRAL = new Set<string>(NEUTRAL_KINDS)
export const keepsFees = (name: string): boolean => NEUTRAL.has(name)

const DISCRIMINATORS = new Map(TABLE.map(([hex, { name }]) => [name, hex]))

/** The layout of the event whose discriminator is at byte 8 of `data`, undefined for a name that is not known. */
export const layoutOf = (data: Buffer): Layout | undefined => LAYOUTS.get(data.readBigUInt64LE(8))

/** The discriminator of an event as hex, for those who write events. */
export const discriminatorOf = (name: EventName): string => DISCRIMINATORS.get(name)!
