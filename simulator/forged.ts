/** Look-alikes of swap events: what anybody could put into a transaction, and no reader may count. */
import { PROGRAMS } from './addresses.js'
import { type Chain } from './chain.js'
import { type Dao } from './dao.js'
import { spotSwapEvent } from './events.js'
import { type Call } from './shapes.js'

export const FORGERIES = [
  'other-program', 'other-account', 'extra-account', 'no-account', 'top-level', 'log', 'wrong-tag'
] as const

/**
 * - `other-program`: an inner instruction of another program, with the event authority and the same data
 * - `other-account`, `extra-account`, `no-account`: an inner instruction of the program itself, its accounts not the
 * event authority alone
 * - `top-level`: an outer instruction to the program, with the event authority and the same data
 * - `log`: a log line with the data
 * - `wrong-tag`: the genuine form, but the data begin with another tag
 */
export type ForgeryKind = typeof FORGERIES[number]

/** A successful transaction with a false swap of 10^18 raw units under the DAO's next sequence number. */
export function forgeEvent (chain: Chain, dao: Dao, kind: ForgeryKind) {
  const attacker = chain.traders[chain.traders.length - 1]!
  const state = { ...dao.state, seq: dao.state.seq + 1 }
  return chain.act({ payer: attacker }, { save: () => () => {} }, tx => {
    const event = spotSwapEvent(
      { identity: dao.identity, state, slot: tx.slot, time: tx.time }, attacker, 'buy', 10n ** 18n, 10n ** 18n
    )
    const authority = chain.eventAuthority
    const outer: Call = { program: PROGRAMS.aggregator, accounts: [dao.address, authority, chain.program], height: 1 }
    const fake: Call = { program: chain.program, accounts: [authority], height: 2 }
    const calls: Record<ForgeryKind, Call[]> = {
      'other-program': [outer, { ...fake, program: attacker }],
      'other-account': [outer, { ...fake, accounts: [attacker] }],
      'extra-account': [outer, { ...fake, accounts: [authority, dao.address] }],
      'no-account': [outer, { ...fake, accounts: [] }],
      'top-level': [{ ...fake, accounts: [authority], height: 1 }],
      log: [outer],
      'wrong-tag': [outer, fake]
    }
    if (kind === 'wrong-tag') event[0]! ^= 1
    tx.add({
      key: `forged/${kind}/${dao.address}${kind === 'log' ? tx.signature : ''}`,
      shape: () => ({
        name: 'Route', calls: calls[kind], logs: kind === 'log' ? [`Program data: ${event.toString('base64')}`] : []
      }),
      data: calls[kind].map((call, at) => at === 0 && kind !== 'top-level' ? Buffer.alloc(8, 1) : event)
    })
    return { signature: tx.signature, slot: tx.slot, time: tx.time }
  })
}
