import { isServiceError, ServiceError } from '../../errors.js'
import type { CachedResponse } from '../../http/cached-response.js'
import { type Aged, createFreshCache, type Made, within } from '../../live/fresh.js'
import type { DaoFacts } from '../../live/dao-facts.js'
import type { Snapshot } from '../../live/snapshot.js'
import type { TokenReader } from '../../live/tokens.js'
import { daosReport } from '../../market/dao-report.js'
import { type DaoRecord, DaoRecordSchema } from '../../../schemas/dao.js'
import type { Pool } from '../../../schemas/pools.js'
import type { ProposalRecord } from '../../../schemas/proposals.js'
import { type Treasuries, TreasuriesSchema, type Treasury, TreasurySchema } from '../../../schemas/treasury.js'
import type { ProposalAnswers } from '../proposals.js'
import { jsonResponse, oncePerValue } from '../json-response.js'
import { sameLife } from '../same-life.js'
import { cacheOptions, daoOf, type Sources, usdValuationOf } from '../sources.js'
import { daoRecord, extremesOf } from './dao.js'
import type { DaoFactsKept, OneFacts } from './facts.js'
import { heldTokens, largestFirst, treasuryOf, treasuryRecord, type TreasuryContext } from './treasury.js'

/**
 * What is told of single DAOs and of their treasuries. Throws INVALID_DAO, DAO_NOT_FOUND, and what the chain and the
 * history throw.
 */
export interface DaoResponses {
  /** By its address, or by a base mint that one listed DAO trades. */
  one (daoOrMint: string): Promise<Aged<CachedResponse<DaoRecord>>>
  treasury (daoOrMint: string): Promise<Aged<CachedResponse<Treasury>>>
  treasuries (): Promise<Aged<CachedResponse<Treasuries>>>
}

export interface DaoSources extends Sources {
  facts: DaoFactsKept
  tokens: TokenReader
  /** The listed pools by id. */
  pools: () => Promise<Aged<{ byId: ReadonlyMap<string, { pool: Pool }> }>>
  proposals: Pick<ProposalAnswers, 'all' | 'record'>
  /** DAOs whose history of late has gaps. */
  incomplete: () => Promise<ReadonlySet<string>>
}

const MAX_KEPT = 256
const toRecord = jsonResponse(DaoRecordSchema)
const toTreasury = jsonResponse(TreasurySchema)
const toTreasuries = jsonResponse(TreasuriesSchema)

export function createDaoResponses (sources: DaoSources): DaoResponses {
  const { snapshot: snapshots, history, settings, facts, tokens, pools, proposals, incomplete } = sources

  const contextOf = (snapshot: Snapshot): TreasuryContext => ({
    snapshot, usd: usdValuationOf(snapshot, settings), settings
  })

  /** Tokens of a vault that no listed pool knows. */
  const unknown = ({ tokens: held, slot }: DaoFacts, { tokens: known }: Snapshot) => tokens.read(
    held.map(({ mint }) => mint).filter(mint => known.get(mint) == null), slot
  )

  /** A live proposal; undefined while not all of its events are known. */
  const liveOne = (proposal: string): Promise<Aged<ProposalRecord> | undefined> =>
    proposals.record(proposal).catch((error: unknown) => {
      if (isServiceError(error, 'WARMING_UP', 'HISTORY_UNAVAILABLE')) return undefined
      throw error
    })

  async function record (address: string): Promise<Made<CachedResponse<DaoRecord>>> {
    const { value: one, parts } = await facts.one(address)
    const { snapshot } = one
    const { value: { byId }, parts: poolParts } = await pools()
    const { value: decided, parts: proposalParts } = await proposals.all()
    const context = contextOf(snapshot)
    const discovered = snapshot.discovered.filter(one => one.address === address)
    const { daos: [report] } = daosReport({
      slot: snapshot.slot,
      found: discovered,
      incomplete: await incomplete(),
      indexed: history.report(),
      usd: context.usd,
      symbolOf: () => ''
    })
    const more = await unknown(one.facts, snapshot)
    const { extremes, createdAt } = await history.read(async reading => {
      const [first] = reading.known.sequenceRanges.get(address) ?? []
      return { extremes: await extremesOf(reading, address), createdAt: first?.first === 1n ? first.firstAt : null }
    })
    const own = decided.flatMap(({ proposal }) => proposal.dao === address ? [proposal] : [])
    const open = own.find(({ state }) => state === 'pending')
    const live = open === undefined ? undefined : await liveOne(open.address)
    const pool = byId.get(address)?.pool ?? null
    const made = daoRecord({
      facts: one.facts,
      context,
      more,
      report: report!,
      pool,
      createdAt,
      extremes,
      proposals: own.map(({ state }) => state),
      live: live?.value ?? null
    })
    return { value: toRecord(made), parts: [...parts, ...poolParts, ...proposalParts, ...live?.parts ?? []] }
  }

  const records = createFreshCache<string, CachedResponse<DaoRecord>>(
    { ...cacheOptions(sources), load: record, max: MAX_KEPT }
  )
  const treasury = oncePerValue(async ({ snapshot, facts }: OneFacts) => toTreasury(
    treasuryRecord(facts, contextOf(snapshot), await unknown(facts, snapshot))
  ))

  return {
    one: daoOrMint => within(daoOf(snapshots, daoOrMint).then(records.get)),
    async treasury (daoOrMint) {
      const { value, ...age } = await within(daoOf(snapshots, daoOrMint).then(facts.one))
      return { value: await treasury(value), ...age }
    },
    treasuries: sameLife(facts.all, async ({ snapshot, facts }) => {
      const context = contextOf(snapshot)
      const found = [...facts.values()].filter(one => !(one instanceof ServiceError)) as DaoFacts[]
      return toTreasuries(largestFirst(found.map(one => treasuryOf(one, context, heldTokens(one, context)))))
    })
  }
}
