import type { DaoReport, Daos } from '../../schemas/daos.js'
import type { Dao } from '../protocol/dao.js'
import { dateOf, dayOf, MAX_TIME, timeText } from '../time.js'
import { ifKnown } from './pool-figures.js'
import type { UsdValuation } from './usd.js'

/** One account of the program; `dao` is undefined where it can't be decoded, `leftOut` where it is listed. */
export interface FoundDao {
  address: string
  dao: Pick<Dao, 'state' | 'baseMint' | 'quoteMint' | 'size' | 'seqNum' | 'createdAt'> | undefined
  leftOut: string | undefined
}

/** What is indexed of a DAO; `firstSwap` in Unix seconds. */
interface IndexedDao {
  indexed: bigint
  missingEvents: bigint
  firstSwap: number | null
}

interface State {
  accountsSlot: number
  discovered: readonly FoundDao[]
  usd: UsdValuation
  symbolOf: (mint: string) => string
}

/** DAOs whose last 24 hours are not fully known. */
export type Incomplete = Pick<ReadonlySet<string>, 'has'>

/** Why a DAO is not listed; null where it is. */
export const reasonOf = (
  { address, leftOut }: Pick<FoundDao, 'address' | 'leftOut'>, incomplete: Incomplete
): string | null => leftOut ?? (incomplete.has(address) ? 'history incomplete' : null)

/** The record as served: discovered = listed + left out, always. */
export function daosReport (
  { accountsSlot: slot, discovered, usd, symbolOf }: State,
  incomplete: Incomplete,
  indexed: ReadonlyMap<string, IndexedDao>
): Daos {
  const daos = discovered.map((one): DaoReport => {
    const { address, dao } = one
    const reason = reasonOf(one, incomplete)
    const history = indexed.get(address)
    return {
      dao: address,
      symbol: dao === undefined ? '' : symbolOf(dao.baseMint),
      created_at: dao !== undefined && isDate(dao.createdAt) ? timeText(dao.createdAt) : null,
      listed: reason === null,
      reason,
      state: dao?.state ?? null,
      base_mint: dao?.baseMint ?? null,
      quote_mint: dao?.quoteMint ?? null,
      priced_in_usd: dao !== undefined && usd(dao.quoteMint) !== undefined,
      account_bytes: dao?.size ?? null,
      sequence_on_chain: dao?.seqNum.toString() ?? null,
      sequence_indexed: history?.indexed.toString() ?? null,
      missing_events: (history?.missingEvents ?? 0n).toString(),
      first_swap: ifKnown(history?.firstSwap, timeText)
    }
  })
  daos.sort((a, b) => a.dao < b.dao ? -1 : 1)
  const listed = daos.filter(dao => dao.listed).length
  return { slot, discovered: daos.length, listed, left_out: daos.length - listed, daos }
}

/** Whether the time that an account gives, Unix seconds, is one. */
const isDate = (seconds: number) => seconds > 0 && seconds <= MAX_TIME

/** The UTC day on which a DAO's pool began; null for a time that is no date. */
export const startDate = ({ createdAt }: Pick<Dao, 'createdAt'>) => isDate(createdAt) ? dateOf(dayOf(createdAt)) : null
