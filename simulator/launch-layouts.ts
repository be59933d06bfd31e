/**
 * Accounts of the launchpads and of the team packages (`programs/v0x_launchpad/src/state/launch.rs` and the package
 * programs' states).
 */
import { type LaunchVersion } from './addresses.js'
import { Writer, discriminator } from './bytes.js'

export const LAUNCH_STATUS = { initialized: 0, live: 1, closed: 2, complete: 3, refunding: 4 } as const

export interface LaunchState {
  version: LaunchVersion
  /** v0.7 accounts that were never resized lack the last two fields. */
  olderLayout: boolean
  bump: number
  minimumRaise: bigint
  monthlyLimit: bigint
  members: string[]
  authority: string
  signer: string
  signerBump: number
  quoteVault: string
  baseVault: string
  baseMint: string
  quoteMint: string
  /** Unix seconds; null: not yet. */
  started: number | null
  closed: number | null
  completed: number | null
  committed: bigint
  raise: bigint
  status: keyof typeof LAUNCH_STATUS
  seq: bigint
  dao: string | null
  daoVault: string | null
  grantee: string
  packageAmount: bigint
  monthsLocked: number
  team: string
  additional: bigint
  additionalRecipient: string | null
  additionalClaimed: boolean
  packageInitialized: boolean
  governor: string
}

// Room for ten members and every option.
const PREFIX_SIZE = 8 + 17 + 4 + 320 + 65 + 128 + 18 + 8 + 1 + 8 + 4 + 66 + 32 + 8 + 1 + 32
const size = ({ version, olderLayout }: LaunchState): number =>
  PREFIX_SIZE + (version === 'v0.6'
    ? 9
    : 8 + 8 + 33 + 1 + 9 + 1 + (olderLayout ? 0 : 5) + (version === 'v0.8' ? 32 : 0))

/** Sequential: the vector and the options move everything behind them. */
export function writeLaunch (launch: LaunchState): Buffer {
  const { version } = launch
  const writer = new Writer(size(launch)).bytes(discriminator('account', 'Launch'))
  const seconds = (value: number | null) => writer.option(value, given => writer.i64(given))
  const key = (value: string | null) => writer.option(value, given => writer.key(given))
  writer.u8(launch.bump).u64(launch.minimumRaise).u64(launch.monthlyLimit).u32(launch.members.length)
  for (const member of launch.members) writer.key(member)
  writer.key(launch.authority).key(launch.signer).u8(launch.signerBump).key(launch.quoteVault).key(launch.baseVault)
    .key(launch.baseMint).key(launch.quoteMint)
  seconds(launch.started)
  seconds(launch.closed)
  writer.u64(launch.committed)
  if (version === 'v0.6') writer.option(launch.status === 'complete' ? launch.raise : null, given => writer.u64(given))
  writer.u8(LAUNCH_STATUS[launch.status]).u64(launch.seq).u32(4 * 86400)
  key(launch.dao)
  key(launch.daoVault)
  writer.key(launch.grantee).u64(launch.packageAmount).u8(launch.monthsLocked).key(launch.team)
  if (version === 'v0.6') return writer.buffer
  writer.u64(launch.raise).u64(launch.additional)
  key(launch.additionalRecipient)
  writer.u8(launch.additionalClaimed)
  seconds(launch.completed)
  writer.u8(launch.packageInitialized)
  if (!launch.olderLayout) writer.u32(0).u8(0)
  if (version === 'v0.8') writer.key(launch.governor)
  return writer.buffer
}

export interface Tranche { threshold: bigint, amount: bigint, unlocked: boolean }

export interface PackageState {
  address: string
  bump: number
  tranches: Tranche[]
  total: bigint
  unlocked: bigint
  minUnlock: number
  dao: string
  daoVault: string
  recipient: string
  createKey: string
  mint: string
  vault: string
  governor: string
  seq: bigint
}

/** Package whose tokens are locked in a vault: 520 bytes, the oracle read at byte 9 of the DAO. */
export function writePricePackage (state: PackageState): Buffer {
  const writer = new Writer(520).bytes(discriminator('account', 'PerformancePackage')).u32(state.tranches.length)
  for (const { threshold, amount, unlocked } of state.tranches) writer.u128(threshold).u64(amount).u8(unlocked)
  return writer.u64(state.total).u64(state.unlocked).i64(state.minUnlock).key(state.dao).u32(9).u32(90 * 86400)
    .key(state.recipient)
    .u8(0).key(state.createKey).u8(state.bump).key(state.daoVault).key(state.mint).u64(state.seq)
    .key(state.vault).buffer
}

/** Package whose tokens are minted when they are earned; same discriminator, another program. */
export function writePackageV2 (state: PackageState): Buffer {
  const writer = new Writer(600).bytes(discriminator('account', 'PerformancePackage'))
    .key(state.mint).key(state.governor).key(state.address).key(state.daoVault).key(state.recipient)
    .u8(1).key(state.dao).u32(90 * 86400).u128(0n).i64(0).u128(0n).i64(0)
    .u8(1).u32(state.tranches.length)
  let cumulative = 0n
  for (const { threshold, amount } of state.tranches) {
    cumulative += amount
    writer.u128(threshold).u64(cumulative)
  }
  return writer.u8(0).i64(state.minUnlock).i64(state.minUnlock).u64(state.unlocked).u64(state.seq).key(state.createKey)
    .u8(state.bump).buffer
}
