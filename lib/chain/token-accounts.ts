import { ServiceError } from '../errors.js'
import { faultOf } from './node-errors.js'
import { isRecord, type Rpc } from './rpc.js'

/** A token account, and the first 72 bytes of it: mint, owner, amount. */
export interface ListedAccount { address: string, data: Buffer }

/**
 * An owner's accounts of one token program, by the node's own list; undefined: no node offers it, or it is too long for
 * an answer. Throws the ServiceError of the nodes.
 */
export type TokenAccountLister = (owner: string, tokenProgram: string) => Promise<ListedAccount[] | undefined>

/** An owner that the node's index leaves out (rpc-custom-error.rs: KeyExcludedFromSecondaryIndex). */
const EXCLUDED = -32010
const HEAD = { offset: 0, length: 72 }

export function createTokenAccountLister (rpc: Rpc): TokenAccountLister {
  return async (owner, programId) => {
    try {
      const config = { commitment: 'confirmed', encoding: 'base64', dataSlice: HEAD }
      const answer = await rpc.call('getTokenAccountsByOwner', [owner, { programId }, config])
      if (!isRecord(answer) || !Array.isArray(answer.value)) throw bad('no list')
      return answer.value.map(readRow)
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.reason === 'unsupported' || fault?.reason === 'too-large' || fault?.rpcCode === EXCLUDED) {
        return undefined
      }
      throw error
    }
  }
}

function readRow (row: unknown): ListedAccount {
  if (!isRecord(row) || typeof row.pubkey !== 'string' || !isRecord(row.account) || !Array.isArray(row.account.data)) {
    throw bad('a row that is none')
  }
  const data = Buffer.from(String(row.account.data[0]), 'base64')
  if (data.length !== HEAD.length) throw bad('an account of another length')
  return { address: row.pubkey, data }
}

const bad = (what: string): ServiceError =>
  new ServiceError('NODE_BAD_ANSWER', `the node's answer to getTokenAccountsByOwner: ${what}`)
