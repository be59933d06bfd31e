/** JSON-RPC calls as a node answers them: commitment, minimum slot, errors by number. Results are JSON text. */
import { type ActiveFault } from './faults.js'
import { type Ledger } from './ledger.js'
import { type AccountStates } from './account-states.js'
import { type AccountConfig, createAccountMethods } from './methods-accounts.js'
import { type BulkConfig, type BulkOffer, createBulkMethod } from './methods-bulk.js'
import { type HistoryConfig, createHistoryMethods } from './methods-history.js'
import { RpcError, invalidParams } from './rpc-error.js'
import { spoil } from './spoil.js'

interface CommonConfig { commitment?: string, minContextSlot?: number }

/** What one call sees of the ledger. */
export interface View {
  config: AccountConfig & HistoryConfig & BulkConfig & CommonConfig
  commitment: string
  /** The newest slot it knows at its commitment. */
  slot: number
  /** Slots below this one are forgotten. */
  oldest: number
  /** `older`: before version 4 of the node software. */
  software: 'current' | 'older'
  /** null: the method is unknown. */
  bulk: BulkOffer | null
  /** Accounts of getProgramAccounts left out; null: all. */
  leftOut: number | null
  repeatPage: boolean
  /** Entries of a page at most; null: half of what was asked for; undefined: no fault. */
  pageCut: number | null | undefined
  otherSignature: boolean
}

type Method = (params: unknown[], view: View) => string

const SLOTS_PER_EPOCH = 432_000
const COMMITMENTS = ['processed', 'confirmed', 'finalized']

export type Methods = ReturnType<typeof createMethods>

/** What a node is like; all of it may be changed while it runs. */
export interface Conditions {
  software: View['software']
  bulk: View['bulk']
  /** Slots between confirmed and finalized. */
  finalityLag: number
  /** Slots that the node is behind. */
  lag: number
  /** Where it stands, whatever the chain does; null: it follows. */
  frozenAt: number | null
  /** Where its finality stands while it follows the chain; null: nowhere. */
  finalizedAt: number | null
  /** How many slots it keeps transactions for; null: all. */
  retention: number | null
  genesis: string
}

/** Mainnet's genesis. */
export const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

export function createMethods (ledger: Ledger, conditions: Conditions, states: AccountStates) {
  /** The newest slot that the node has seen. */
  const newest = () => Math.min(ledger.slot - conditions.lag, conditions.frozenAt ?? Infinity)
  const slotAt = (commitment: string) => commitment === 'finalized' ? Math.min(newest() - conditions.finalityLag, conditions.finalizedAt ?? Infinity) : newest()

  const general: Record<string, Method> = {
    getSlot: (_, view) => String(view.slot),
    getBlockHeight: (_, view) => String(view.slot - 20_000_000),
    getHealth: () => '"ok"',
    getVersion: (_, view) => `{"feature-set":3294202862,"solana-core":"${view.software === 'older' ? '2.2.0' : '4.2.2'}"}`,
    getGenesisHash: () => `"${conditions.genesis}"`,
    getBlockTime (params) {
      const slot = Number(params[0])
      if (!Number.isInteger(slot)) throw invalidParams('Invalid params: expected u64')
      if (slot > newest()) throw new RpcError(-32004, `Block not available for slot ${slot}`)
      return String(ledger.timeOf(slot))
    },
    getEpochInfo: (_, { slot }) => JSON.stringify({
      absoluteSlot: slot,
      blockHeight: slot - 20_000_000,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: ledger.history.length
    }),
    getLatestBlockhash: (_, { slot }) =>
      `{"context":{"apiVersion":"2.2.0","slot":${slot}},"value":{"blockhash":"4QjEBrJnATvydaCoPb7j4cneA5vSJNFsAYHQwRAjAjmQ","lastValidBlockHeight":${slot - 19_999_850}}}`,
    getFirstAvailableBlock: (_, view) => String(Math.max(view.oldest, 0))
  }
  const methods = new Map<string, Method>(Object.entries({
    ...general,
    ...createAccountMethods(states),
    ...createHistoryMethods(ledger, () => slotAt('finalized')),
    ...createBulkMethod(ledger, () => slotAt('finalized'))
  }))

  function look (params: unknown[], faults: readonly ActiveFault[]): View {
    const last = params[params.length - 1]
    const config = typeof last === 'object' && last !== null && !Array.isArray(last) ? last as View['config'] : {}
    const commitment = config.commitment ?? 'finalized'
    if (!COMMITMENTS.includes(commitment)) throw invalidParams(`Invalid params: unknown variant \`${commitment}\``)
    const { software, bulk, retention } = conditions
    const view: View = {
      config,
      commitment,
      slot: slotAt(commitment),
      oldest: retention === null ? 0 : Math.max(0, newest() - retention),
      software,
      bulk,
      leftOut: 0,
      repeatPage: false,
      pageCut: undefined,
      otherSignature: false
    }
    for (const { kind, value } of faults) {
      if (kind === 'slot-jump-back') view.slot -= Number(value ?? 1000)
      if (kind === 'short-accounts') view.leftOut = value === undefined ? null : Number(value)
      if (kind === 'pruned') view.oldest = Number(value ?? view.slot)
      if (kind === 'repeat-page') view.repeatPage = true
      if (kind === 'short-page') view.pageCut = value === undefined ? null : Number(value)
      if (kind === 'other-signature') view.otherSignature = true
    }
    if (config.minContextSlot !== undefined && view.slot < config.minContextSlot) {
      throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: view.slot })
    }
    return view
  }

  return {
    names: [...methods.keys()],
    slotAt,
    /** The result as JSON text; throws RpcError. */
    call (name: string, params: unknown, faults: readonly ActiveFault[] = []): string {
      const method = methods.get(name)
      if (method === undefined) throw new RpcError(-32601, 'Method not found')
      if (params !== undefined && !Array.isArray(params)) throw invalidParams('Invalid params: expected an array')
      const given = (params ?? []) as unknown[]
      const failure = faults.find(({ kind }) => kind === 'rpc-error')
      if (failure !== undefined) throw new RpcError(Number(failure.value ?? -32603), 'Internal error, on demand')
      const result = method(given, look(given, faults))
      // A time is no slot
      const spoilers = name === 'getBlockTime' ? faults.filter(({ kind }) => kind !== 'wrong-slot' && kind !== 'slot-jump-ahead') : faults
      return spoilers.length === 0 ? result : spoil(result, spoilers)
    }
  }
}
