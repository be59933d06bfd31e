import type { AccountState } from '../rules/rows.js'
import { movedAcross } from '../rules/unknown-kinds.js'
import type { Context } from './context.js'

/** Neighbours of an event that are read on each side. */
const AROUND = 64n
/** Stored in place of the first reason, so that it is judged once. */
const MOVED = 'of an unknown kind, and the reserves of the pool moved across it'

/**
 * Judges events of unknown kinds: their DAO is left out until the events on both sides, or the account, show that they
 * left the pool alone; where the reserves moved, it stays out.
 */
export function createJudge ({ store, writer, signal, onLog }: Pick<Context, 'store' | 'writer' | 'signal' | 'onLog'>) {
  /** Whether the reserves moved across a DAO's events `seqs`, where that can be told. */
  async function movedOf (dao: string, seqs: readonly bigint[], account: AccountState | undefined) {
    const found: Array<[bigint, boolean]> = []
    let end = 0n
    for (const seq of seqs) {
      if (seq < end) continue   // with the one before
      end = seq + AROUND
      const events = await store.eventsOf(dao, seq > AROUND ? seq - AROUND : 1n, Number(3n * AROUND))
      found.push(...movedAcross(events, events.at(-1)?.seq === account?.seqNum ? account?.reserves : undefined))
    }
    return new Map(found)
  }

  return async (accounts: readonly AccountState[]): Promise<void> => {
    if (writer.state.unreadable.size === 0) return
    for (const [dao, seqs] of await store.unjudged()) {
      signal.throwIfAborted()
      const found = await movedOf(dao, seqs, accounts.find(({ address }) => address === dao))
      const judged = seqs.filter(seq => found.has(seq))
      if (judged.length === 0) continue
      await writer.amend(judged.map(seq => ({ dao, seq, reason: found.get(seq)! ? MOVED : null })))
      const moved = judged.filter(seq => found.get(seq)!)
      const tell = (level: 'error' | 'info', message: string) =>
        onLog({ level, code: 'unreadable', message, detail: { dao } })
      for (const seq of moved) {
        tell('error', `event ${seq} of ${dao} is ${MOVED}: look for a newer version of this service`)
      }
      const left = judged.length - moved.length
      if (left > 0) tell('info', `${left} events of unknown kinds of ${dao} have left its pool alone`)
    }
  }
}
