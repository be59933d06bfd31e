import type { AccountReader } from '../chain/types.js'
import { formatUnits, multiply, placesFor, powerOfTen, type Rational, ratio, toFixed } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { CachedResponse } from '../http/cached-response.js'
import { type Aged, createFreshCache, RENEW_FROM } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import { carried, thresholdOf, twapOf } from '../market/decision.js'
import { DecodeError } from '../protocol/bytes.js'
import { type DaoProgram, decodeDao, decodeDaoDetails } from '../protocol/dao.js'
import { timeText } from '../time.js'
import { parseKey } from '../protocol/pda.js'
import { decodeProposal, liveMarkets, type MarketPool, type Proposal, PROPOSAL_PREFIX, type ProposalState } from '../protocol/proposal.js'
import { invalidParameter } from '../query.js'
import { daoNotFound, proposalNotFound } from '../../schemas/errors.js'
import { type ProposalRecord, type ProposalRow, ProposalSchema, type Proposals, ProposalsSchema } from '../../schemas/proposals.js'
import { jsonResponse, plainResponse } from './json-response.js'
import { ALL, cacheOptions, keepResponse, type Sources, TICKER_TTL } from './sources.js'

export interface ProposalsAsked { state: ProposalState | undefined, dao: string | undefined, limit: number, before: string | undefined }

/** Proposals, of accounts alone. Throws INVALID_DAO, DAO_NOT_FOUND, INVALID_PROPOSAL, PROPOSAL_NOT_FOUND, INVALID_PARAMETER, and what the chain throws. */
export interface ProposalAnswers {
  /** Those of all known DAOs, newest first, kept. */
  all (): Promise<Aged<Known[]>>
  list (asked: ProposalsAsked): Promise<Aged<CachedResponse<Proposals>>>
  one (proposal: string): Promise<Aged<CachedResponse<ProposalRecord>>>
}

const MAX_KEPT = 256
const PRICE_DIGITS = 12
/** An oracle's price is × 10^12. */
const ORACLE_SCALE = 10n ** 12n
const toList = plainResponse(ProposalsSchema)
const toRecord = jsonResponse(ProposalSchema)

export interface Known { proposal: Proposal, row: ProposalRow }

const priceText = (price: Rational): string => price.n === 0n ? toFixed(price, PRICE_DIGITS) : toFixed(price, placesFor(price, PRICE_DIGITS))

export function createProposals (sources: Sources, reader: AccountReader, program: DaoProgram): ProposalAnswers {
  const { snapshot: snapshots } = sources

  function rowOf (proposal: Proposal, decimals: number | undefined): ProposalRow {
    const { address, number, state, proposer, isTeamSponsored, launchedAt, duration, staked, dao, squadsProposal } = proposal
    return {
      proposal: address,
      dao,
      number,
      state,
      proposer,
      is_team_sponsored: isTeamSponsored,
      launched_at: launchedAt === null ? null : timeText(launchedAt),
      ends_at: launchedAt === null ? null : timeText(launchedAt + duration),
      staked: staked === null || decimals === undefined ? null : formatUnits(staked, decimals),
      squads_proposal: squadsProposal
    }
  }

  const baseDecimals = (snapshot: Snapshot, mint: string): number | undefined => snapshot.tokens.get(mint)?.decimals

  /** All proposals of known DAOs, newest first. */
  const all = keepResponse(sources, async () => {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const { moment, readAt, value } = await reader.programAccounts(program.program, PROPOSAL_PREFIX)
    const known = value.flatMap((account): Known[] => {
      let proposal: Proposal
      try {
        proposal = decodeProposal(program.program, account)
      } catch (error) {
        // another build's, or damaged: it alone is left out
        if (error instanceof DecodeError) return []
        throw error
      }
      const dao = snapshot.daos.get(proposal.dao)
      return dao === undefined ? [] : [{ proposal, row: rowOf(proposal, baseDecimals(snapshot, dao.baseMint)) }]
    })
    known.sort(({ proposal: a }, { proposal: b }) =>
      (b.launchedAt ?? Infinity) - (a.launchedAt ?? Infinity) || b.number - a.number || (a.address < b.address ? -1 : 1))
    return { value: known, parts: [...parts, { time: moment.time, readAt, commitment: 'confirmed' }] }
  })

  function marketOf ({ oracle, reserves: { quote, base } }: MarketPool, scale: Rational, decimals: { base: number, quote: number }, now: number) {
    const twap = twapOf(carried({ oracle, reserves: { quote, base } }, now))
    return {
      twap,
      text: {
        price: base === 0n || quote === 0n ? null : priceText(multiply(ratio(quote, base), scale)),
        twap: twap === null ? null : priceText(multiply(ratio(twap, ORACLE_SCALE), scale)),
        base_reserve: formatUnits(base, decimals.base),
        quote_reserve: formatUnits(quote, decimals.quote)
      }
    }
  }

  const records = createFreshCache<string, CachedResponse<ProposalRecord>>({
    ...cacheOptions(sources),
    async load (address) {
      const { value: known, parts } = await all.get()
      const found = known.find(({ proposal }) => proposal.address === address)
      if (found === undefined) throw new ServiceError('PROPOSAL_NOT_FOUND', proposalNotFound(address))
      const { value: snapshot } = await snapshots.get(ALL)
      const { moment, readAt, value: [own, account] } = await reader.accounts([address, found.proposal.dao])
      if (own == null || account == null) throw new ServiceError('NODE_BAD_ANSWER', `the node gave no proposal at ${address}, or no DAO of it`)
      const [proposal, dao, details] = [decodeProposal(program.program, own), decodeDao(program, account), decodeDaoDetails(account)]
      const isOpen = proposal.state === 'draft' || proposal.state === 'pending'
      const bps = !isOpen ? null : proposal.isTeamSponsored === true ? details.teamThresholdBps : details.passThresholdBps
      const [base, quote] = [baseDecimals(snapshot, dao.baseMint), baseDecimals(snapshot, dao.quoteMint)]
      const row = rowOf(proposal, base)
      const live = proposal.state === 'pending' ? liveMarkets(account) : null
      let markets: ProposalRecord['markets'] = null
      if (live !== null) {
        if (base === undefined || quote === undefined) throw new ServiceError('NODE_BAD_ANSWER', `the tokens of ${dao.address} can't be read`)
        const scale = powerOfTen(base - quote)
        const [pass, fail] = [marketOf(live.pass, scale, { base, quote }, moment.time), marketOf(live.fail, scale, { base, quote }, moment.time)]
        const threshold = fail.twap === null || bps === null ? null : thresholdOf(fail.twap, bps)
        markets = {
          pass: pass.text,
          fail: fail.text,
          spot_price: marketOf(live.spot, scale, { base, quote }, moment.time).text.price,
          leads: pass.twap === null || threshold === null ? null : pass.twap > threshold ? 'pass' : 'fail',
          threshold: threshold === null ? null : priceText(multiply(ratio(threshold, ORACLE_SCALE), scale)),
          as_of: timeText(moment.time),
          slot: moment.slot
        }
      }
      return { value: toRecord({ ...row, pass_threshold_bps: bps, markets }), parts: [...parts, { time: moment.time, readAt, commitment: 'confirmed' }] }
    },
    max: MAX_KEPT
  })

  return {
    all: all.get,
    async list ({ state, dao, limit, before }) {
      if (dao !== undefined) {
        if (parseKey(dao) === undefined) throw new ServiceError('INVALID_DAO', 'no address')
        const { value: { daos } } = await snapshots.get(ALL)
        if (!daos.has(dao)) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(dao))
      }
      const { value: known, ...age } = await all.get()
      const from = before === undefined ? 0 : known.findIndex(({ proposal }) => proposal.address === before) + 1
      if (before !== undefined && from === 0) throw invalidParameter('before', 'the address of a proposal')
      const rows: ProposalRow[] = []
      for (let at = from; at < known.length && rows.length < limit; at++) {
        const { row } = known[at]!
        if ((state === undefined || row.state === state) && (dao === undefined || row.dao === dao)) rows.push(row)
      }
      return { value: toList(rows), ...age }
    },
    async one (proposal) {
      if (parseKey(proposal) === undefined) throw new ServiceError('INVALID_PROPOSAL', 'no address')
      return await records.get(proposal)
    }
  }
}
