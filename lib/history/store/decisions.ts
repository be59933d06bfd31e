import { sql } from 'kysely'
import { NEUTRAL_KINDS } from '../../protocol/events.js'
import { EVENT, FACTS, type OtherFees, type ProposalEvent, sides } from '../rules/rows.js'
import { BRINGS_FEES, IS_PROPOSAL_EVENT, quoted, UNTOLD } from './conditions.js'
import { record, type RowOf } from '../rules/mapping.js'
import type { Tables } from './tables.js'
import type { View } from './view.js'

const AFTER = record({ fees: sides('quote_fees', 'base_fees'), reserves: EVENT.reserves })
/** After the last event before that tells the fees. */
const BEFORE = record({
  fees: sides('was_quote_fees', 'was_base_fees'), reserves: sides('was_quote_reserves', 'was_base_reserves')
})

type FeesRow = RowOf<typeof AFTER> & RowOf<typeof BEFORE> & RowOf<typeof FACTS> & Tables['events'] & {
  before: string | null
  /** Events between the two that don't change the fees. */
  neutral: number
}

export const decisionReads = {
  /** Whether what events of this DAO, or of any, tell of decisions and external pools is not read yet. */
  async untold ({ db, idOf }: View, dao?: string) {
    const query = db.selectFrom('events').select('dao').where(UNTOLD).limit(1)
    const found = dao === undefined ? query : query.where('dao', '=', idOf(dao))
    return await found.executeTakeFirst() !== undefined
  },

  /** In no order. */
  async proposalEvents ({ db, addressOf }: View, proposal?: string): Promise<ProposalEvent[]> {
    const query = db.selectFrom('events').select(['dao', 'kind', 'slot', 'at', ...FACTS.columns])
      .where(IS_PROPOSAL_EVENT)
    const rows = await (proposal === undefined ? query : query.where('proposal', '=', proposal)).execute()
    return rows.map(row => ({
      dao: addressOf(row.dao),
      proposal: row.proposal!,
      kind: row.kind,
      slot: row.slot,
      at: row.at,
      averages: FACTS.read(row)!.averages
    }))
  },

  /**
   * A decision's end adds the winning market's fees to the spot pool's: the difference to the last event that tells
   * those, where none between can have changed them.
   */
  async otherFees ({ db, addressOf }: View): Promise<OtherFees[]> {
    const { rows } = await sql<FeesRow>`
      with found as (
        select e.*, (
          select p.seq from events p where p.dao = e.dao and p.seq < e.seq and p.quote_fees is not null
          order by p.seq desc limit 1) as before
        from (select * from events where ${BRINGS_FEES}) e)
      select found.*, p.quote_fees as was_quote_fees, p.base_fees as was_base_fees,
        p.quote_reserves as was_quote_reserves, p.base_reserves as was_base_reserves,
        case when p.seq is null or found.kind = 'CollectMeteoraDammFees' then 0 else (
          select count(*) from events b where b.dao = found.dao and b.seq > found.before and b.seq < found.seq
          and b.kind in (${quoted(NEUTRAL_KINDS)})) end as neutral
      from found left join events p on p.dao = found.dao and p.seq = found.before`.execute(db)
    return rows.map(row => {
      const collected = FACTS.read(row)?.collected ?? null
      const [after, was] = [AFTER.read(row), BEFORE.read(row)]
      const isWhole = row.before !== null && BigInt(row.seq) - BigInt(row.before) - 1n === BigInt(row.neutral)
      const gained = after.fees !== null && was.fees !== null && isWhole
        ? { quote: after.fees.quote - was.fees.quote, base: after.fees.base - was.fees.base }
        : null
      return {
        dao: addressOf(row.dao),
        kind: row.kind,
        at: row.at,
        fees: collected === null ? gained : { quote: collected.quote, base: collected.base },
        mints: collected && { quote: collected.quoteMint, base: collected.baseMint },
        reserves: after.reserves ?? was.reserves
      }
    })
  }
}
