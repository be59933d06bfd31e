import type { AccountState } from '../rules/types.js'
import { movedAcross } from '../rules/unknown-kinds.js'
import type { Context } from './context.js'

const AT_ONCE = 100
/** Events on each side of one that are looked at, and numbers of those that are looked at together. */
const [AROUND, TOGETHER] = [64n, 128n]
/** Stored in place of the first reason, so that it is judged once. */
const MOVED = 'of an unknown kind, and the reserves of the pool moved across it'

/**
 * Judges events of unknown kinds: their DAO is left out until the events on both sides, or the account, show that they
 * left the pool alone; where the reserves moved, it stays out.
 */
export function createJudge ({ store, writer, signal, onLog }: Pick<Context, 'store' | 'writer' | 'signal' | 'onLog'>) {
  async function ofDao (dao: string, seqs: bigint[], account: AccountState | undefined): Promise<Map<bigint, boolean>> {
    const found: Array<[bigint, boolean]> = []
    for (let open = seqs.toSorted((a, b) => a < b ? -1 : 1); open.length > 0;) {
      const [first] = open as [bigint]
      const last = open.findLast(seq => seq < first + TOGETHER)!
      open = open.filter(seq => seq > last)
      const from = first > AROUND ? first - AROUND : 1n
      const events = await store.eventsOf(dao, from, Number(last - from + 1n + AROUND))
      found.push(...movedAcross(events, events.at(-1)?.seq === account?.seqNum ? account?.reserves : undefined))
    }
    return new Map(found)
  }

  /** Of those behind the newest page so many could not be judged: the ones after them are looked at next. */
  let passed = 0

  /** Of a page behind so many: how many could be judged, and how many could not. */
  async function judgePage (
    accounts: readonly AccountState[], behind: number
  ): Promise<[judged: number, left: number]> {
    const rows = await store.unjudged(AT_ONCE, behind)
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
    return [rows.length - undecided, undecided]
  }

  /** Gives whether anything could be judged. */
  async function judgeSome (accounts: readonly AccountState[]): Promise<boolean> {
    const [judgedFirst, leftFirst] = await judgePage(accounts, 0)
    if (judgedFirst > 0 || leftFirst < AT_ONCE) return judgedFirst > 0
    // those that nothing can be said of hide no others
    const [judged, left] = await judgePage(accounts, AT_ONCE + passed)
    passed = judged + left < AT_ONCE ? 0 : passed + left
    return judged > 0
  }

  return async (accounts: readonly AccountState[]): Promise<void> => {
    // a release of the program may bring thousands: all that can be, in one go
    while (writer.state.unreadable.size > 0 && !signal.aborted && await judgeSome(accounts)) continue
  }
}
