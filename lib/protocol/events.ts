import { hash } from 'node:crypto'
import type { RawTransaction } from '../chain/types.js'
import { badAnswer } from '../errors.js'
import { decodeBase58 } from './base58.js'
import { decodeEvent, type EventBody } from './events/decode.js'

export type { Outcome, Sides } from './amm.js'
export type { EventFacts, SpotSwap } from './events/decode.js'
export { UNKNOWN_KIND } from './events/decode.js'
export { NEUTRAL_KINDS, TOLD_KINDS } from './events/layouts.js'

/** An event together with its place in the transaction. */
export interface ProgramEvent extends EventBody {
  /** The outer instruction, and the position in the list of its inner ones. */
  outer: number
  inner: number
  /** All account keys of the transaction, who pays for it first. */
  accounts: readonly string[]
}

/** First 8 bytes of sha256(`anchor:event`), reversed: what a self-call that emits an event begins with. */
const TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

/** Instructions whose events name a proposal alone; their accounts begin with it and its DAO (stake_to_proposal.rs). */
const STAKING = ['stake_to_proposal', 'unstake_from_proposal']
  .map(name => hash('sha256', `global:${name}`, 'buffer').subarray(0, 8))

/**
 * The genuine events of `program` in a transaction, in their order: inner instructions, at any depth, of the program
 * itself with its event authority as the only account, since anyone can log look-alikes. A failed transaction gives
 * none. Throws NODE_BAD_ANSWER where the node does not know the inner instructions, or not all of them.
 */
export function readEvents (
  { meta, transaction }: RawTransaction, program: string, eventAuthority: string
): ProgramEvent[] {
  const bad = (what: string) => badAnswer(`transaction ${transaction.signatures[0]}: ${what}`)
  if (meta.err !== null) return []
  if (meta.innerInstructions === null) throw bad('the node did not record its inner instructions')
  const { writable, readonly } = meta.loadedAddresses ?? { writable: [], readonly: [] }
  const accounts = [...transaction.message.accountKeys, ...writable, ...readonly]
  function stakedFor (proposal: string): string | null {
    const calls = [transaction.message, ...meta.innerInstructions!].flatMap(({ instructions = [] }) => instructions)
    const call = calls.find(({ programIdIndex, accounts: [first], data }) =>
      accounts[programIdIndex] === program && accounts[first ?? -1] === proposal &&
      STAKING.some(name => decodeBase58(data)?.subarray(0, name.length).equals(name)))
    return accounts[call?.accounts[1] ?? -1] ?? null
  }
  const events: ProgramEvent[] = []
  for (const { index, instructions } of meta.innerInstructions) {
    for (const [inner, instruction] of instructions.entries()) {
      const called = accounts[instruction.programIdIndex]
      // An index past the end means that the addresses from lookup tables are missing
      if (called === undefined) throw bad('an instruction of an account that it does not list')
      if (called !== program) continue
      if (instruction.accounts.length !== 1 || accounts[instruction.accounts[0]!] !== eventAuthority) continue
      const data = decodeBase58(instruction.data)
      if (data === undefined) throw bad('instruction data that are not base58')
      if (!data.subarray(0, TAG.length).equals(TAG)) continue
      const event = decodeEvent(data)
      if (event.dao === null && event.proposal !== null) event.dao = stakedFor(event.proposal)
      events.push(Object.assign(event, { outer: index, inner, accounts }))
    }
  }
  return events
}
