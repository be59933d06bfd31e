import { PROGRAMS, tokenAccountAddress } from '../addresses.js'
import { AMM_KEYS, AMM_SIZES, ammKeys, type AmmState, ammState, createdAt, type Sides, spotFees, spotReserves } from '../amm.js'
import { keyBytes, keyText } from '../pda.js'
import { layoutOf, type EventName, type Layout } from './layouts.js'

/**
 * Known events that have grown: a release of the program may add fields under the same name. Where the AMM state stands in one is told by the
 * DAO's own mints and vaults, which end it: the vaults are addresses that follow from the DAO and its mints, so nothing else looks like them.
 */

/** From the mints to the vaults behind them, and these are as long. */
const VAULTS = AMM_KEYS / 2
const FIRST_FIELD = 40
/** Between 2020 and 2128. */
const [FIRST_SECOND, LAST_SECOND] = [1_577_836_800n, 5_000_000_000n]

export interface LocatedState {
  kind: AmmState
  /** Where it begins, and how many bytes follow it. */
  from: number
  behind: number
  /** The spot pool after the event. */
  reserves: Sides
  fees: Sides
}

export interface GrownEvent {
  name: EventName
  layout: Layout
  data: Buffer
  /** The DAO that the state shows; null where the event has none. */
  dao: string | null
  state: LocatedState | null
}

/** Every place in `data` where one of `accounts` stands. */
function keysIn (data: Buffer, accounts: readonly string[]): Map<number, string> {
  const found = new Map<number, string>()
  for (const account of new Set(accounts)) {
    const bytes = keyBytes(account)
    for (let at = data.indexOf(bytes, FIRST_FIELD); at !== -1; at = data.indexOf(bytes, at + 1)) found.set(at, account)
  }
  return found
}

/** Whether the pool begins at `from` in this state: its creation is a time at which the program existed. */
function isState (data: Buffer, from: number, kind: AmmState): boolean {
  if (from < FIRST_FIELD || ammState(data, from) !== kind) return false
  const created = createdAt(data, from)
  return created > FIRST_SECOND && created < LAST_SECOND
}

/** The state that ends at `end`. Read as the other kind, the last pool of a live proposal would look like a spot pool: so that comes first. */
function stateBefore (data: Buffer, end: number): LocatedState | undefined {
  const kind = (['futarchy', 'spot'] as const).find(kind => isState(data, end - AMM_SIZES[kind], kind))
  if (kind === undefined) return undefined
  const from = end - AMM_SIZES[kind]
  return { kind, from, behind: data.length - end, reserves: spotReserves(data, from), fees: spotFees(data, from) }
}

/** The DAO among `keys` whose vaults of the mints of the pool that ends at `end` stand behind them. */
function ownerOf (data: Buffer, end: number, keys: Iterable<string>): string | undefined {
  // they end it whatever its state
  const { baseMint, quoteMint, baseVault, quoteVault } = ammKeys(data, end - AMM_SIZES.spot, 'spot')
  const isVault = (dao: string, mint: Buffer, vault: Buffer): boolean => tokenAccountAddress(dao, keyText(mint), PROGRAMS.token) === keyText(vault)
  for (const dao of keys) if (isVault(dao, baseMint, baseVault) && isVault(dao, quoteMint, quoteVault)) return dao
  return undefined
}

/** What can be told of a known event of an unknown form, in a transaction with these accounts; undefined where nothing can. */
export function readGrown (data: Buffer, accounts: readonly string[]): GrownEvent | undefined {
  const layout = data.length >= 16 ? layoutOf(data) : undefined
  if (layout === undefined) return undefined
  const shared = { name: layout.name, layout, data }
  if (layout.amm === undefined) {
    // without a state only a tail can be told to be new
    return Array.isArray(layout.lengths) && layout.lengths.every(length => data.length > length) ? { ...shared, dao: null, state: null } : undefined
  }
  const keys = keysIn(data, accounts)
  for (const at of keys.keys()) {
    if (!keys.has(at + 32) || at - VAULTS < FIRST_FIELD) continue
    const dao = ownerOf(data, at + VAULTS, new Set(keys.values()))
    const state = dao === undefined ? undefined : stateBefore(data, at + VAULTS)
    if (state !== undefined) return { ...shared, dao: dao!, state }
  }
  return undefined
}

/** The DAOs that an event may belong to, most likely first: keys of the transaction that stand in its data. */
export const keysOfData = (data: Buffer, accounts: readonly string[]): string[] => [...new Set([...keysIn(data, accounts)].sort(([a], [b]) => a - b).map(([, key]) => key))]
