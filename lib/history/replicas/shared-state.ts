/** The state of all DAOs that one process has read and the others take, as bytes: what they mean is not known here. */
import { sql } from 'kysely'
import { ServiceError } from '../../errors.js'
import type { Clock } from '../../clock.js'
import type { PostgresReader } from './reader.js'

/** Moments are of this process's clock, ms; the row has them by the server's, so that the clocks of machines do not matter. */
export interface SharedStateRow {
  slot: number
  /** When the slot was first seen; never later than it was. */
  seenAt: number
  /** null where its slot is the one that is known. */
  bytes: Buffer | null
}

/** The newest state, without its bytes where its slot is `knownSlot`; undefined: none. Throws HISTORY_UNAVAILABLE. */
export async function readSharedState ({ alone }: PostgresReader, clock: Clock, knownSlot: number | undefined): Promise<SharedStateRow | undefined> {
  const asked = clock.now()
  const { rows: [row] } = await alone(db => sql<{ slot: string, age: number, bytes: Buffer | null }>`
    select slot, (extract(epoch from clock_timestamp())::double precision - seen_at) * 1000 as age,
      case when slot = ${knownSlot ?? -1} then null else bytes end as bytes
    from shared_state`.execute(db))
  // by a clock that was set back it would be of the future, and how old it is nobody knows
  if (row === undefined || row.age < 0) return undefined
  return { slot: Number(row.slot), seenAt: asked - row.age, bytes: row.bytes }
}

/** Puts a state in the place of the one before. Throws HISTORY_UNAVAILABLE, and writes nothing, when the lead of `token` has ended. */
export async function writeSharedState ({ alone }: PostgresReader, clock: Clock, token: string, { slot, seenAt, bytes }: { slot: number, seenAt: number, bytes: Buffer }): Promise<void> {
  // what passes between this moment and the writing must not make it younger
  const { rows: [server] } = await alone(db => sql<{ at: string }>`select extract(epoch from clock_timestamp())::text as at`.execute(db))
  const seen = Number(server!.at) - (clock.now() - seenAt) / 1000
  const { rows } = await alone(db => sql`
    with lead as (select from meta where key = 'epoch' and value = ${token} for share)
    insert into shared_state (id, slot, seen_at, bytes) select 1, ${slot}::bigint, ${seen}::double precision, ${bytes}::bytea from lead
    on conflict (id) do update set slot = excluded.slot, seen_at = excluded.seen_at, bytes = excluded.bytes returning id`.execute(db))
  if (rows.length === 0) throw new ServiceError('HISTORY_UNAVAILABLE', 'another process writes the history now')
}
