import { PROGRAMS, tokenAccountAddress } from '../addresses.js'
import { keyBytes, keyText } from '../pda.js'
import type { Sides } from './decode.js'
import { layoutOf, type EventName, type Layout } from './layouts.js'

/**
 * Known events that have grown: a release of the program may add fields under the same name. Where the AMM state stands in one is told by the
 * DAO's own mints and vaults, which end it: the vaults are addresses that follow from the DAO and its mints, so nothing else looks like them.
 */

/** Bytes of FutarchyAmm from its beginning to its mints, by the tag of its state (programs/futarchy/src/state/futarchy_amm.rs). */
const TO_MINTS = { spot: 149, futarchy: 413 } as const
/** From the mints to the vaults behind them, and these are as long. */
const VAULTS = 64
const FIRST_FIELD = 40
/** Between 2020 and 2128. */
const [FIRST_SECOND, LAST_SECOND] = [1_577_836_800n, 5_000_000_000n]

export interface LocatedState {
  kind: keyof typeof TO_MINTS
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

const sides = (data: Buffer, at: number): Sides => ({ quote: data.readBigUInt64LE(at), base: data.readBigUInt64LE(at + 8) })

/** Whether a spot pool's oracle begins behind the tag at `from`: its creation is a time at which the program existed. */
function isState (data: Buffer, from: number, tag: number): boolean {
  if (from < FIRST_FIELD || data[from] !== tag) return false
  const created = data.readBigInt64LE(from + 25)
  return created > FIRST_SECOND && created < LAST_SECOND
}

/** The state whose mints begin at `mints`. Read as the other kind, the last pool of a live proposal would look like a spot pool: so that comes first. */
function stateBefore (data: Buffer, mints: number): LocatedState | undefined {
  const kind = (['futarchy', 'spot'] as const).find((kind, at) => isState(data, mints - TO_MINTS[kind], 1 - at))
  if (kind === undefined) return undefined
  const from = mints - TO_MINTS[kind]
  return { kind, from, behind: data.length - mints - 2 * VAULTS, reserves: sides(data, from + 101), fees: sides(data, from + 117) }
}

/** The DAO among `keys` whose vaults of the mints at `mints` stand behind them. */
function ownerOf (data: Buffer, mints: number, keys: Iterable<string>): string | undefined {
  const [base, quote, baseVault, quoteVault] = [0, 32, 64, 96].map(at => keyText(data.subarray(mints + at, mints + at + 32))) as [string, string, string, string]
  for (const dao of keys) {
    if (tokenAccountAddress(dao, base, PROGRAMS.token) === baseVault && tokenAccountAddress(dao, quote, PROGRAMS.token) === quoteVault) return dao
  }
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
    const dao = ownerOf(data, at - VAULTS, new Set(keys.values()))
    const state = dao === undefined ? undefined : stateBefore(data, at - VAULTS)
    if (state !== undefined) return { ...shared, dao: dao!, state }
  }
  return undefined
}

/** The DAOs that an event may belong to, most likely first: keys of the transaction that stand in its data. */
export const keysOfData = (data: Buffer, accounts: readonly string[]): string[] => [...new Set([...keysIn(data, accounts)].sort(([a], [b]) => a - b).map(([, key]) => key))]
