/** The token accounts of an owner, as nodes list them that keep that index. */
import { type AccountStates } from './account-states.js'
import { base58 } from './bytes.js'
import { type View } from './methods.js'
import { requireAddress, writeAccount } from './methods-accounts.js'
import { invalidParams } from './rpc-error.js'

const ACCOUNT = 165
const TYPE_ACCOUNT = 2

export function createTokenAccountsMethod (states: AccountStates) {
  return {
    getTokenAccountsByOwner (params: unknown[], view: View): string {
      const owner = requireAddress(params[0])
      const { programId, mint } = (params[1] ?? {}) as { programId?: string, mint?: string }
      if ((programId === undefined) === (mint === undefined)) throw invalidParams('Invalid params: programId or mint')
      const rows = (programId === undefined
        ? []
        : states.ofProgram(requireAddress(programId), view.slot)).filter(entry => {
        const data = entry.data()
        return (data.length === ACCOUNT || data[ACCOUNT] === TYPE_ACCOUNT) && base58(data.subarray(32, 64)) === owner
      })
      const list = rows.map(entry => `{"account":${writeAccount(entry, view.config)},"pubkey":"${entry.address}"}`)
      return `{"context":{"apiVersion":"4.2.2","slot":${view.slot}},"value":[${list.join()}]}`
    }
  }
}
