import type { AccountState } from '../rules/types.js'
import { movedAcross } from '../rules/unknown-kinds.js'
import type { Context } from './context.js'

const AT_ONCE = 100
/** Events on each side of one that are looked at. */
const AROUND = 64n
/** Stored in place of the first reason, so that it is judged once. */
const MOVED = 'of an unknown kind, and the reserves of the pool moved across it'

/**
 * Judges events of unknown kinds: their DAO is left out until the events on both sides, or the account, show that they
 * left the pool alone; where the reserves moved, it stays out.
 */
export function createJudge ({ store, writer, signal, onLog }: Pick<Context, 'store' | 'writer' | 'signal' | 'onLog'>) {
  async function ofDao (dao: string, seqs: bigint[], account: AccountState | undefined): Promise<Map<bigint, boolean>> {
    const [first, last] = [seqs.reduce((a, b) => a < b ? a : b), seqs.reduce((a, b) => a > b ? a : b)]
    const from = first > AROUND ? first - AROUND : 1n
    const most = Math.min(Number(last - from + 1n + AROUND), 4 * Number(AROUND))
    const events = await store.eventsOf(dao, from, most)
    return movedAcross(events, events.at(-1)?.seq === account?.seqNum ? account?.reserves : undefined)
  }

  /** So many of the newest could not be judged: they are looked at again once the others have been. */
  let passed = 0

  /** Gives whether anything could be judged. */
  async function judgeSome (accounts: readonly AccountState[]): Promise<boolean> {
    const rows = await store.unjudged(AT_ONCE, passed)
    let undecided = rows.length
    const open = new Map<string, bigint[]>()
    for (const { dao, seq } of rows) open.set(dao, [...open.get(dao) ?? [], seq])
    for (const [dao, seqs] of open) {
      const found = await ofDao(dao, seqs, accounts.find(({ address }) => address === dao))
      const judged = seqs.filter(seq => found.has(seq))
      if (judged.length === 0) continue
      undecided -= judged.length
      await writer.judge(judged.map(seq => ({ dao, seq, reason: found.get(seq)! ? MOVED : null })))
      const moved = judged.filter(seq => found.get(seq)!)
      for (const seq of moved) {
        const message = `event ${seq} of ${dao} is ${MOVED}: look for a newer version of this service`
        onLog({ level: 'error', code: 'unreadable', message, detail: { dao } })
      }
      const left = judged.length - moved.length
      if (left === 0) continue
      const message = `${left} events of unknown kinds of ${dao} have left its pool alone`
      onLog({ level: 'info', code: 'unreadable', message, detail: { dao } })
    }
    passed = rows.length < AT_ONCE ? 0 : passed + undecided
    return undecided < rows.length
  }

  return async (accounts: readonly AccountState[]): Promise<void> => {
    // a release of the program may bring thousands: all that can be, in one go
    while (writer.state.unreadable.size > 0 && !signal.aborted && await judgeSome(accounts)) continue
  }
}
