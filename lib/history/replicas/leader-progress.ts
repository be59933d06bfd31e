/** How far the process that writes has come, which the rows do not show. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Moment } from '../../chain/moment.js'
import type { Seen } from '../answers.js'
import type { LastDayWork } from '../status.js'
import { excluded, putRows } from '../store/inserts.js'
import { putMeta, readMeta } from '../store/view.js'
import { parseValuation } from '../store/state.js'
import { type NamedOwners, namedText, parseNamed } from '../rules/missing-owners.js'
import { gapKey } from '../rules/sequence-gaps.js'
import type { VolumeRule } from '../../market/volume.js'
import { NUMERIC_COLUMNS, type Tables } from '../store/tables.js'
import type { Session } from './leader-lock.js'

export interface LeaderProgress {
  /** Grows with every step. */
  revision: number
  /** Grows with every process that takes the lead; undefined before the first. */
  fencingToken: string | undefined
  /** null: none yet. */
  head: Moment | null
  /** How far the last 24 hours are, while they are read. */
  lastDay: LastDayWork | null
  /** Up to here all that the `accounts` number should be stored; 0: not compared yet. */
  verifiedSlot: number
  /** Whose the transactions are that are missing beyond it. */
  named: NamedOwners
  /** Sequence gaps that have been looked for in vain, by `gapKey`. */
  lost: ReadonlySet<string>
  /** The rule that candles are made by; null: not made yet. */
  valuation: VolumeRule | null
}

/** The head in one reading. */
export async function readLeaderProgress (db: Kysely<Tables>): Promise<LeaderProgress> {
  const meta = await readMeta(db)
  const valuation = meta.get('valuation')
  const [slot, time] = [meta.get('head_slot'), meta.get('head_time')]
  return {
    revision: Number(meta.get('revision') ?? 0),
    fencingToken: meta.get('epoch'),
    head: slot === undefined || time === undefined ? null : { slot: Number(slot), time: Number(time) },
    lastDay: meta.has('last_day') ? JSON.parse(meta.get('last_day')!) as LastDayWork | null : null,
    verifiedSlot: Number(meta.get('proven_slot') ?? 0),
    named: parseNamed(meta.get('named')),
    lost: new Set(meta.get('lost')?.split(',')),
    valuation: valuation === undefined ? null : parseValuation(valuation)
  }
}

/** The sequence numbers that the accounts had at `provenSlot`. */
export async function readAccounts (db: Kysely<Tables>): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('accounts').selectAll().execute()
  return new Map(rows.map(({ address, seq }) => [address, BigInt(seq)]))
}

/** Writes the head for others, and what has changed of the accounts; for one lead. */
export function createProgressWriter (writing: Session['writing']) {
  let written: Seen['accounts'] | undefined

  async function putAccounts (trx: Transaction<Tables>, accounts: Seen['accounts']): Promise<void> {
    const known = written ?? await readAccounts(trx)
    const gone = [...known.keys()].filter(address => !accounts.has(address))
    const changed = [...accounts].filter(([address, seq]) => known.get(address) !== seq).map(([address, seq]) =>
      ({ address, seq: seq.toString() }))
    if (gone.length > 0) await sql`delete from accounts where address = any(${gone})`.execute(trx)
    await putRows({ db: trx, types: NUMERIC_COLUMNS }, 'accounts', changed, oc =>
      oc.column('address').doUpdateSet(excluded(['seq'])))
  }

  /** All ever looked for in vain: a new lead need not look again before others may know. */
  let vain: ReadonlySet<string> | undefined

  /** Tells that the head is reached. */
  async function reached ({ head, accounts, verifiedSlot, sequenceGaps, searched, named }: Seen): Promise<void> {
    const isNew = accounts !== written
    const lost = [...sequenceGaps.values()].flat().filter(searched).map(gapKey)
    let all = vain
    await writing(async trx => {
      const before = vain ?? (await readLeaderProgress(trx)).lost
      all = lost.every(gap => before.has(gap)) ? before : new Set([...before, ...lost])
      if (verifiedSlot > 0 && isNew) await putAccounts(trx, accounts)
      await putMeta(trx, {
        ...(head !== null && { head_slot: String(head.slot), head_time: String(head.time) }),
        named: namedText(named),
        ...(verifiedSlot > 0 && { proven_slot: String(verifiedSlot) }),
        ...(all !== before && { lost: [...all].join(',') })
      })
    })
    if (verifiedSlot > 0) written = accounts
    vain = all
  }

  return {
    reached,
    /** Tells how far the last 24 hours are. */
    progress: async (work: LastDayWork | null): Promise<void> => {
      await writing(trx => putMeta(trx, { last_day: JSON.stringify(work) }))
    }
  }
}
