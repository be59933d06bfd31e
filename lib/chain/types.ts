/** The ports of this folder: what the wings ask of a node, and the one type that all its wrappers share. */

/** What a `Connection` of web3.js is given; every wrapper of the transport takes one and returns one. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** An account as a node gave it. `owner` is the program it belongs to, base58. */
export interface RawAccount {
  address: string
  owner: string
  data: Buffer
}

/** A value together with the slot at which the node read it. */
export interface AtSlot<T> {
  slot: number
  value: T
}

/** Reads of the state now, at commitment `confirmed`. Each method is one node call and throws a ServiceError. */
export interface AccountReader {
  /** Every account of `program` whose data begin with `prefix`, all of one slot. `minSlot` refuses an older state. */
  programAccounts (program: string, prefix: Buffer, minSlot?: number): Promise<AtSlot<RawAccount[]>>
  /** At most 100 accounts of one slot, in the order asked for; null: the node says there is none. */
  accounts (addresses: readonly string[], minSlot?: number): Promise<AtSlot<Array<RawAccount | null>>>
}

/** One line of an address's history. */
export interface SignatureInfo {
  signature: string
  slot: number
  failed: boolean
  /** Unix seconds; null where the node has none. */
  blockTime: number | null
}

/** Reads of the past, at commitment `finalized`. Throws a ServiceError. */
export interface HistoryReader {
  /** At most `limit` (1,000) signatures that touch `address`, newest first, older than `before` and newer than `until`, both exclusive. */
  signatures (address: string, page: { before?: string, until?: string, limit?: number }): Promise<SignatureInfo[]>
  /**
   * The transactions of `signatures` in that order, as the node's own JSON (`getTransaction`, encoding json, version 0 admitted);
   * null: the node does not have it (yet). Each is checked to carry the signature asked for.
   */
  transactions (signatures: readonly string[]): Promise<Array<RawTransaction | null>>
  /** The newest finalized slot. */
  finalizedSlot (): Promise<number>
}

/** The parts of a transaction's JSON that events are read from; anything else is ignored. */
export interface RawTransaction {
  slot: number
  blockTime: number | null
  transaction: { signatures: string[], message: { accountKeys: string[] } }
  meta: {
    err: unknown
    innerInstructions: Array<{ index: number, instructions: RawInstruction[] }> | null
    loadedAddresses?: { writable: string[], readonly: string[] } | null
  }
}

export interface RawInstruction {
  programIdIndex: number
  accounts: number[]
  /** Base58, in every encoding. */
  data: string
}
