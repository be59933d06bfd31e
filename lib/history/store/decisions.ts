/** What events tell of decisions, and of fees that no swap was charged. */
import { sql } from 'kysely'
import { NEUTRAL_KINDS } from '../../protocol/events.js'
import { BRINGS_FEES, IS_PROPOSAL_EVENT, quoted, UNTOLD } from './conditions.js'
import { factsOf, sides } from './row-mapping.js'
import type { Tables } from './table-types.js'
import type { Read } from './view.js'

export const readUntold: Read<'untold'> = async ({ db, names }, dao) => {
  const query = db.selectFrom('events').select('dao').where(UNTOLD).limit(1)
  const found = dao === undefined ? query : query.where('dao', '=', names.id(dao) ?? 0)
  return await found.executeTakeFirst() !== undefined
}

export const readProposalEvents: Read<'proposalEvents'> = async ({ db, names }, proposal) => {
  const query = db.selectFrom('events').select(['dao', 'proposal', 'kind', 'at', 'facts']).where(IS_PROPOSAL_EVENT)
  const rows = await (proposal === undefined ? query : query.where('proposal', '=', proposal)).execute()
  return rows.map(({ dao, proposal, kind, at, facts }) => ({
    dao: names.address(dao), proposal: proposal!, kind, at: Number(at), averages: factsOf(facts)!.averages
  }))
}

interface FeesRow extends Pick<Tables['events'], 'dao' | 'seq' | 'kind' | 'at' | 'facts'> {
  quote_fees: string | null
  base_fees: string | null
  quote_reserves: string | null
  base_reserves: string | null
  before: string | null
  was_quote_fees: string | null
  was_base_fees: string | null
  was_quote_reserves: string | null
  was_base_reserves: string | null
  /** Events between the two that leave the fees alone. */
  neutral: number | string
}

/**
 * A decision's end adds the winning market's fees to the spot pool's: the difference to the last event that states
 * them, where nothing between can have changed them.
 */
export const readOtherFees: Read<'otherFees'> = async ({ db, names }) => {
  const { rows } = await sql<FeesRow>`
    with found as (
      select e.*, (
        select p.seq from events p where p.dao = e.dao and p.seq < e.seq and p.quote_fees is not null
        order by p.seq desc limit 1) as before
      from (select * from events where ${BRINGS_FEES}) e)
    select found.dao, found.seq, found.kind, found.at, found.facts, found.quote_fees, found.base_fees,
      found.quote_reserves, found.base_reserves, found.before, p.quote_fees as was_quote_fees,
      p.base_fees as was_base_fees, p.quote_reserves as was_quote_reserves, p.base_reserves as was_base_reserves,
      case when p.seq is null or found.kind = 'CollectMeteoraDammFees' then 0 else (
        select count(*) from events b where b.dao = found.dao and b.seq > found.before and b.seq < found.seq
        and b.kind in (${quoted(NEUTRAL_KINDS)})) end as neutral
    from found left join events p on p.dao = found.dao and p.seq = found.before`.execute(db)
  return rows.map(row => {
    const { dao, kind, at, before } = row
    const collected = factsOf(row.facts)?.collected ?? null
    const [after, was] = [sides(row.quote_fees, row.base_fees), sides(row.was_quote_fees, row.was_base_fees)]
    const isWhole = before !== null && BigInt(row.seq) - BigInt(before) - 1n === BigInt(row.neutral)
    const gained = after === null || was === null || !isWhole
      ? null
      : { quote: after.quote - was.quote, base: after.base - was.base }
    return {
      dao: names.address(dao),
      kind,
      at: Number(at),
      fees: collected === null ? gained : { quote: collected.quote, base: collected.base },
      mints: collected && { quote: collected.quoteMint, base: collected.baseMint },
      reserves: sides(row.quote_reserves, row.base_reserves) ?? sides(row.was_quote_reserves, row.was_base_reserves)
    }
  })
}
