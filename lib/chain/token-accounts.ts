import { ServiceError } from '../errors.js'
import { faultOf } from './node-errors.js'
import { isRecord, type Rpc } from './rpc.js'

/** The addresses of an owner's token accounts of one token program, by the node's own list; undefined: no node offers it, or it is too long for an answer. */
export type TokenAccountLister = (owner: string, tokenProgram: string) => Promise<Array<{ address: string, data: Buffer }> | undefined>

/** An owner that the node's index leaves out (rpc-custom-error.rs: KeyExcludedFromSecondaryIndex). */
const EXCLUDED = -32010
/** Mint, owner, amount. */
const HEAD = { offset: 0, length: 72 }

/** Each gives the first 72 bytes of every account: mint, owner, amount. Throws the ServiceError of the nodes. */
export function createTokenAccountLister (rpc: Rpc): TokenAccountLister {
  return async (owner, tokenProgram) => {
    try {
      const answer = await rpc.call('getTokenAccountsByOwner', [owner, { programId: tokenProgram }, { commitment: 'confirmed', encoding: 'base64', dataSlice: HEAD }])
      if (!isRecord(answer) || !Array.isArray(answer.value)) throw bad('no list')
      return answer.value.map(row => {
        if (!isRecord(row) || typeof row.pubkey !== 'string' || !isRecord(row.account) || !Array.isArray(row.account.data)) throw bad('a row that is none')
        const data = Buffer.from(String(row.account.data[0]), 'base64')
        if (data.length !== HEAD.length) throw bad('an account of another length')
        return { address: row.pubkey, data }
      })
    } catch (error) {
      const fault = faultOf(error)
      if (fault?.reason === 'unsupported' || fault?.reason === 'too-large' || fault?.rpcCode === EXCLUDED) return undefined
      throw error
    }
  }
}

const bad = (what: string): ServiceError => new ServiceError('NODE_BAD_ANSWER', `the node's answer to getTokenAccountsByOwner: ${what}`)
