import { isServiceError } from '../../errors.js'
import type { Kept, Part } from '../../live/fresh.js'
import { reasonOf } from '../../market/dao-report.js'
import { largestFirst } from '../../market/ticker.js'
import type { ProposalRecord } from '../../../schemas/proposals.js'
import { jsonResponse } from '../json-response.js'
import { createdAt } from '../known.js'
import type { PoolList } from '../pools/pool-list.js'
import type { ProposalAnswers } from '../proposals.js'
import { byDao, formOf, keepEach, MAX_RECORDS, type Sources } from '../sources.js'
import { daoRecord, extremesOf } from './dao.js'
import type { DaoFactsKept } from './facts.js'
import { treasuryRecord } from './treasury.js'

interface DaoSources extends Sources {
  facts: DaoFactsKept
  pools: Kept<PoolList>
  proposals: Pick<ProposalAnswers, 'all' | 'record'>
  /** DAOs whose history of late has gaps. */
  incomplete: () => Promise<ReadonlySet<string>>
}

/**
 * What is told of single DAOs, each by its address or by a base mint that one listed DAO trades. Throws INVALID_DAO,
 * DAO_NOT_FOUND, and what the chain and the history throw.
 */
export function createDaoResponses (sources: DaoSources) {
  const { history, facts, pools, proposals, incomplete } = sources

  /** A live proposal; null while not all of its events are known. */
  const liveOne = (parts: Part[], proposal: string): Promise<ProposalRecord | null> =>
    proposals.record(parts, proposal).catch((error: unknown) => {
      if (isServiceError(error, 'WARMING_UP', 'HISTORY_UNAVAILABLE')) return null
      throw error
    })

  const record = keepEach(sources, async (parts, address: string) => {
    const own = await facts.one(parts, address)
    const { byId } = await pools(parts)
    const decided = await proposals.all(parts)
    const found = own.state.discovered.find(one => one.address === address)!
    const reason = reasonOf(found, await incomplete())
    const told = await history.read(async reading =>
      ({ extremes: await extremesOf(reading, address), createdAt: createdAt(reading, address) }))
    const proposed = decided.flatMap(({ proposal }) => proposal.dao === address ? [proposal] : [])
    const open = proposed.find(({ state }) => state === 'pending')
    return jsonResponse(daoRecord(own, {
      reason,
      pool: byId.get(address) ?? null,
      ...told,
      proposals: proposed.map(({ state }) => state),
      live: open === undefined ? null : await liveOne(parts, open.address)
    }))
  }, { max: MAX_RECORDS })
  const treasury = formOf(facts.one, ({ figures }) => jsonResponse(treasuryRecord(figures)))

  const allTreasuries = formOf(facts.all, figures =>
    largestFirst(figures.values(), ({ nav }) => nav, ({ treasury }) => treasury.dao).map(({ treasury }) => treasury))

  return {
    one: byDao(sources, record),
    treasury: byDao(sources, treasury),
    allTreasuries,
    treasuries: formOf(allTreasuries, rows => jsonResponse(rows))
  }
}
