/** How far the process that writes has come. */
import { type Kysely, sql } from 'kysely'
import type { Progress } from '../status.js'
import type { Engine } from '../store/create-store.js'
import { excluded, putMeta, putRows, readMeta } from '../store/view.js'
import { NO_OWNERS } from '../rules/missing-owners.js'
import { gapKey } from '../rules/sequence-gaps.js'
import type { Tables } from '../store/tables.js'

export interface LeaderProgress extends Pick<Progress, 'head' | 'lastDay' | 'verifiedTo' | 'missingOwners'> {
  /** Grows with every step. */
  revision: number
  /** Grows with every process that takes the lead; undefined before the first. */
  fencingToken: string | undefined
  /** The network of the rows, by its genesis hash; undefined before the first. */
  genesis: string | undefined
  /** Sequence gaps that have been looked for in vain, by `gapKey`. */
  lost: Set<string>
}

export async function readLeaderProgress (db: Kysely<Tables>): Promise<LeaderProgress> {
  const meta = await readMeta(db)
  const noted: Partial<LeaderProgress> = JSON.parse(meta.get('progress') ?? '{}')
  return {
    head: null,
    lastDay: null,
    verifiedTo: null,
    missingOwners: NO_OWNERS,
    ...noted,
    revision: Number(meta.get('revision') ?? 0),
    fencingToken: meta.get('epoch'),
    genesis: meta.get('genesis'),
    lost: new Set(meta.get('lost')?.split(','))
  }
}

/** The sequence numbers that the accounts had up to `verifiedTo`. */
export async function readAccounts (db: Kysely<Tables>): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('accounts').selectAll().execute()
  return new Map(rows.map(({ address, seq }) => [address, BigInt(seq)]))
}

/** Writes that, and all gaps ever looked for in vain: a new lead has yet to look for them, and to come as far. */
export function createProgressWriter (
  { writing, types }: Pick<Engine, 'writing' | 'types'>
): (progress: Progress) => Promise<void> {
  let written: Progress['accounts'] | undefined

  async function putAccounts (db: Kysely<Tables>, accounts: Progress['accounts']): Promise<void> {
    await sql`delete from accounts where address <> all(${[...accounts.keys()]})`.execute(db)
    const rows = Array.from(accounts, ([address, seq]) => ({ address, seq: seq.toString() }))
    await putRows({ db, types }, 'accounts', rows, oc => oc.column('address')
      .doUpdateSet(excluded(['seq'])).where(({ eb, ref }) => eb(ref('excluded.seq'), '<>', ref('accounts.seq'))))
  }

  return async ({ head, lastDay, accounts, verifiedTo, sequenceGaps, searched, missingOwners }) => {
    await writing(async trx => {
      const { lost, ...before } = await readLeaderProgress(trx)
      for (const gap of [...sequenceGaps.values()].flat()) if (searched(gap)) lost.add(gapKey(gap))
      if (verifiedTo !== null && accounts !== written) await putAccounts(trx, accounts)
      const known = { head: head ?? before.head, verifiedTo: verifiedTo ?? before.verifiedTo }
      await putMeta(trx, {
        progress: JSON.stringify({ ...known, lastDay, missingOwners }),
        ...(lost.size > 0 && { lost: [...lost].join(',') })
      })
    })
    if (verifiedTo !== null) written = accounts
  }
}
