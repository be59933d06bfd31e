/**
 * Who is wrong about what time it is. One wrong witness must change no figure; what two agree on, or where one makes up
 * for another, nobody can tell from the truth.
 */
import type { Ledger } from '../../../simulator/index.js'
import type { Host } from './network.js'

/** Witnesses of UTC that differ by less agree, and the latest of them is believed. */
export const AGREEING_MS = 60_000
/** A state older than this is not current, s. */
const CURRENT = 15
/** The service goes by what it was told for so long, ms. */
const REMEMBERED_MS = 600_000
/** Rules about how old figures and lists are, and that they are fresh, and about the time of a block. */
const OF_AGE = /^(time|price|price_usd|volumes|aggregate|age|oldest|calm|daos)\b/

const isApart = (ms: number): boolean => Math.abs(ms) > AGREEING_MS

/**
 * How many are wrong of this machine's clock (Unix ms), the `Date` of each node, the chain by the nodes that show its
 * time, and each node's own word about it.
 */
export function wrongWitnesses ({ ledger, nodes }: { ledger: Ledger, nodes: readonly Host[] }, clock: number): number {
  let wrong = Number(isApart(clock - 1000 * ledger.utc))
  let freshest = -Infinity
  for (const { service: { conditions: { date, lacks }, faults: { active }, position } } of nodes) {
    if (typeof date === 'object') {
      wrong += Number(isApart(1000 * ('off' in date ? date.off : date.standsAt - ledger.utc)))
    }
    const back = Math.max(0, ...active.map(({ kind, value }) => kind === 'jump-back' ? Number(value ?? 400) : 0))
    if (!lacks.includes('getMultipleAccounts')) freshest = Math.max(freshest, ledger.timeOf(position.slot()) - back)
    if (active.some(({ kind }) => kind === 'clock-ahead' || kind === 'slot-jump-ahead')) {
      wrong += back + position.behind() > CURRENT ? 2 : 1
    }
  }
  return wrong + Number(isApart(1000 * (ledger.utc - freshest)))
}

/** Whether a rule about ages is broken where nobody could know better; `since`: two were wrong last, ms ago. */
export const isDoubtful = (rule: string, since: number): boolean => since <= REMEMBERED_MS && OF_AGE.test(rule)
