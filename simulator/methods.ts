/** JSON-RPC calls as a node answers them: commitment, minimum slot, errors by number. Results are JSON text. */
import { type ActiveFault, type FaultKind } from './faults.js'
import { type Ledger } from './ledger.js'
import { type AccountConfig, createAccountMethods } from './methods-accounts.js'
import { type BulkConfig, type BulkOffer, createBulkMethod } from './methods-bulk.js'
import { type HistoryConfig, createHistoryMethods } from './methods-history.js'
import { type Position } from './position.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { spoil } from './spoil.js'

interface CommonConfig { commitment?: string, minContextSlot?: number }

/** What one call sees of the ledger. */
export interface View {
  config: AccountConfig & HistoryConfig & BulkConfig & CommonConfig
  commitment: string
  /** The newest slot it knows at its commitment. */
  slot: number
  /** By so many slots what it answers is older than what it has. */
  back: number
  /** Slots below this one are forgotten. */
  oldest: number
  /** `older`: before version 4 of the node software. */
  software: 'current' | 'older'
  /** null: the method is unknown. */
  bulk: BulkOffer | null
  /** A fault that this call has. */
  fault (kind: FaultKind): ActiveFault | undefined
}

type Method = (params: unknown[], view: View) => string

/** What is confirmed is final after so many slots, 7 s. */
export const FINALITY_SLOTS = 32
/** So many slots behind and a node says that it is not well. */
const HEALTHY_SLOTS = 128
const COMMITMENTS = ['processed', 'confirmed', 'finalized']

export type Methods = ReturnType<typeof createMethods>

/** What a node is like; all of it may be changed while it runs. */
export interface Conditions {
  software: View['software']
  bulk: View['bulk']
  /** Slots between confirmed and finalized. */
  finalityLag: number
  /** `ok`: it says that it is well whatever it is, as a load balancer may. */
  health: 'honest' | 'ok'
  /** Where its finality has stalled while it follows the chain; null: nowhere. */
  finalizedAt: number | null
  /** How many slots it keeps transactions for; null: all. */
  retention: number | null
  genesis: string
  /** Methods that it does not know. */
  lacks: readonly string[]
  /**
   * By method, the fields of a configuration that it takes; others are refused, and its errors have numbers of their
   * own. Null: none is refused.
   */
  strict: Readonly<Record<string, readonly string[]>> | null
}

/** Mainnet's genesis. */
export const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

export function createMethods (ledger: Ledger, conditions: Conditions, position: Position) {
  const newest = position.slot
  const slotAt = (commitment: string) => commitment === 'finalized'
    ? Math.min(newest() - conditions.finalityLag, conditions.finalizedAt ?? Infinity)
    : newest()

  const general: Record<string, Method> = {
    getSlot: (_, view) => String(view.slot),
    getHealth (_, { back }) {
      const behind = ledger.slot - newest() + back
      if (behind <= HEALTHY_SLOTS || conditions.health === 'ok') return '"ok"'
      throw new RpcError(-32005, `Node is behind by ${behind} slots`, { numSlotsBehind: behind })
    },

    getGenesisHash: () => `"${conditions.genesis}"`,
    getBlockTime (params) {
      const slot = Number(params[0])
      if (!Number.isInteger(slot)) throw invalidParams('Invalid params: expected u64')
      if (slot > newest()) {
        throw new RpcError(conditions.strict === null ? -32004 : -32009, `Block not available for slot ${slot}`)
      }
      return String(ledger.timeOf(slot))
    },
    getFirstAvailableBlock: (_, view) => String(Math.max(view.oldest, 0))
  }
  const methods = new Map<string, Method>(Object.entries({
    ...general,
    ...createAccountMethods(ledger),
    ...createHistoryMethods(ledger, () => slotAt('finalized')),
    ...createBulkMethod(ledger)
  }))

  function look (name: string, params: unknown[], faults: readonly ActiveFault[]): View {
    const last = params[params.length - 1]
    const config = typeof last === 'object' && last !== null && !Array.isArray(last) ? last as View['config'] : {}
    const commitment = config.commitment ?? 'finalized'
    const unknown = Object.keys(config).find(field => conditions.strict?.[name]?.includes(field) === false)
    if (unknown !== undefined) throw invalidParams(`Invalid params: unknown field \`${unknown}\``)
    if (!COMMITMENTS.includes(commitment)) throw invalidParams(`Invalid params: unknown variant \`${commitment}\``)
    const { software, bulk, retention } = conditions
    const fault = (wanted: FaultKind) => faults.find(({ kind }) => kind === wanted)
    const view: View = {
      config,
      commitment,
      slot: slotAt(commitment),
      back: 0,
      oldest: retention === null ? 0 : Math.max(0, newest() - retention),
      software,
      bulk,
      fault
    }
    const old = fault('jump-back') ?? fault('late-index')
    if (old !== undefined) {
      const then = ledger.slotAt(ledger.elapsed - 1000 * Number(old.value ?? 400))
      view.back = Math.max(0, newest() - then)
      view.slot -= view.back
    }
    const pruned = fault('pruned')
    if (pruned !== undefined) view.oldest = Number(pruned.value ?? view.slot)
    const { minContextSlot = 0 } = config
    const isChecked = old?.kind !== 'late-index' && !(name === 'getTransaction' && software === 'older')
    if (view.slot < minContextSlot && isChecked) {
      throw new RpcError(
        conditions.strict === null ? -32016 : -32000, 'Minimum context slot has not been reached',
        { contextSlot: view.slot }
      )
    }
    return view
  }

  return {
    names: [...methods.keys()],
    slotAt,
    /** The result as JSON text; throws RpcError. */
    call (name: string, params: unknown, faults: readonly ActiveFault[] = []): string {
      const method = methods.get(name)
      if (method === undefined || conditions.lacks.includes(name)) throw new RpcError(-32601, 'Method not found')
      if (params !== undefined && !Array.isArray(params)) throw invalidParams('Invalid params: expected an array')
      const given = (params ?? []) as unknown[]
      const failure = faults.find(({ kind }) => kind === 'rpc-error')
      if (failure !== undefined) throw new RpcError(Number(failure.value ?? -32603), 'Internal error, on demand')
      const result = method(given, look(name, given, faults))
      // A time is no slot
      const spoilers = name === 'getBlockTime'
        ? faults.filter(({ kind }) => kind !== 'wrong-slot' && kind !== 'slot-jump-ahead')
        : faults
      return spoilers.length === 0 ? result : spoil(result, spoilers)
    }
  }
}
