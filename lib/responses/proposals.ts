import type { AccountReader } from '../chain/accounts.js'
import { formatUnits } from '../decimal.js'
import { badAnswer, warmingUp } from '../errors.js'
import { isWalked, type MarketKey, type ProposalEvent, type Reading } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import { type Part, partOf, within } from '../live/fresh.js'
import { type PoolTokens, tokensOf } from '../live/snapshot.js'
import { decisionOf, liveMarketsOf, NOT_LIVE } from '../market/decision.js'
import { ifKnown } from '../market/pool-figures.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { type Dao, decodeDao } from '../protocol/dao.js'
import { decodeProposal, liveMarkets, type Proposal, type ProposalState } from '../protocol/proposal.js'
import { invalidParameter } from '../query.js'
import { MAX_TIME, timeText } from '../time.js'
import type { ProposalRecord, ProposalRow } from '../../schemas/proposals.js'
import { createPoolHistory, exactSum, type Traded } from './pool-history.js'
import { ALL_DAYS, checkTold, extentOf, headOf } from './known-history.js'
import { checkAddress, daoOf, formOf, keep, MAX_RECORDS, noProposal, type Sources, stateOf } from './sources.js'

interface ProposalsAsked {
  state?: ProposalState
  /** Its address, or its base mint. */
  dao?: string
  limit: number
  before?: string
}

const isOpen = ({ state }: Proposal) => state === 'draft' || state === 'pending'
const bpsOf = (proposal: Proposal, dao: Dao) => isOpen(proposal)
  ? dao.details()[proposal.isTeamSponsored === true ? 'teamThresholdBps' : 'passThresholdBps']
  : null

interface Told { created?: ProposalEvent, ended?: ProposalEvent }

export interface Known {
  proposal: Proposal
  /** Its threshold, null once decided. */
  bps: number | null
  /** undefined where a mint of its DAO can't be read. */
  decimals: PoolTokens | undefined
  /** As far as events tell. */
  told: Told
  /** Whether events of it that are not told have been looked for. */
  isRead: boolean
}

/** Throws NODE_BAD_ANSWER where a mint can't be read. */
function decimalsOf ({ proposal: { dao }, decimals }: Known) {
  if (decimals !== undefined) return decimals
  throw badAnswer(`the tokens of ${dao} can't be read`)
}

const timeOf = (event: ProposalEvent | undefined) => ifKnown(event?.at, timeText)
function rowOf ({ proposal, bps, decimals, told }: Omit<Known, 'isRead'>): ProposalRow {
  const { address, number, state, proposer, isTeamSponsored, launchedAt, duration, staked, dao } = proposal
  return {
    proposal: address,
    dao,
    number,
    state,
    proposer,
    is_team_sponsored: isTeamSponsored,
    pass_threshold_bps: bps,
    created_at: timeOf(told.created),
    launched_at: ifKnown(launchedAt, timeText),
    ends_at: ifKnown(launchedAt, at => timeText(at + duration)),
    finalized_at: timeOf(told.ended),
    staked: staked === null || decimals === undefined ? null : formatUnits(staked, decimals.baseDecimals),
    squads_proposal: proposal.squadsProposal,
    decision: ifKnown(told.ended?.averages, averages => ifKnown(decimals, known => decisionOf(averages, known)))
  }
}

function toldOf (events: readonly ProposalEvent[]) {
  const told = new Map<string, Told>()
  for (const event of events) {
    const name = event.kind === 'InitializeProposal' ? 'created' : 'ended'
    told.set(event.proposal, { ...told.get(event.proposal), [name]: event })
  }
  return told
}

/** Whether all events of a proposal are known. */
const isTold = ({ proposal, told: { created, ended } }: Pick<Known, 'proposal' | 'told'>) =>
  created !== undefined && (ended !== undefined || isOpen(proposal))

/** The Unix second after which all of a proposal happened; −Infinity: not known. */
const madeAfter = ({ created }: Told) => created === undefined ? -Infinity : created.at - 1

export type ProposalAnswers = ReturnType<typeof createProposals>

/**
 * Proposals, by accounts and events. Throws INVALID_DAO, DAO_NOT_FOUND, INVALID_PROPOSAL, PROPOSAL_NOT_FOUND and
 * INVALID_PARAMETER.
 */
export function createProposals (sources: Sources, reader: AccountReader, program: ProgramClient) {
  const { snapshot: snapshots, history } = sources

  const toldBy = async (reading: Reading, address?: string) => toldOf(await reading.proposalEvents(address))

  /** Newest first, by launch or else creation, which may not be final yet. */
  const all = keep(sources, async parts => {
    const { daos, tokens } = await stateOf(snapshots, parts)
    headOf(sources, parts)
    // no account of a proposal is ever closed
    const made = new Map(Array.from(await history.read(toldBy)).flatMap(([address, { created }]) =>
      created === undefined ? [] : [[address, created.slot] as const]))
    const read = await reader.programAccounts(program.program, program.proposalPrefix, made)
    parts.push(partOf(read))
    const listed = read.value.flatMap(account => {
      try {
        const proposal = decodeProposal(program, account)
        const dao = daos.get(proposal.dao)
        return dao === undefined ? [] : [{ proposal, bps: bpsOf(proposal, dao), decimals: tokensOf(dao, tokens) }]
      } catch (error) {
        // of another build, or damaged: left out
        if (error instanceof DecodeError) return []
        throw error
      }
    })
    const known: Known[] = []
    await history.read(async reading => {
      const events = await toldBy(reading)
      for (const { proposal, ...one } of listed) {
        const told = events.get(proposal.address) ?? {}
        const isRead = isTold({ proposal, told }) ||
          (isWalked(reading.walkedTo, madeAfter(told)) && !await reading.untold(proposal.dao))
        known.push({ ...one, proposal, told, isRead })
      }
    })
    const at = ({ proposal: { launchedAt, state }, told }: Known) =>
      launchedAt ?? told.created?.at ?? (state === 'draft' ? MAX_TIME : 0)
    return known.sort((a, b) => at(b) - at(a) || b.proposal.number - a.proposal.number ||
      (a.proposal.address < b.proposal.address ? -1 : 1))
  })

  async function find (parts: Part[], address: string) {
    checkAddress(address, 'INVALID_PROPOSAL')
    const known = (await all(parts)).find(({ proposal }) => proposal.address === address)
    if (known === undefined) throw noProposal(address)
    return known
  }

  async function traded (market: MarketKey): Promise<Traded> {
    const known = await find([], market.proposal)
    return { ...decimalsOf(known), address: known.proposal.dao, market }
  }
  const { trades, candles } = createPoolHistory(sources, traded)

  const record = keep<ProposalRecord, [string]>(sources, async (parts, address) => {
    const known = await find(parts, address)
    const read = await reader.accounts([[address, known.proposal.dao]])
    parts.push(partOf(read))
    const { moment: { time, slot }, value: [[own, account] = []] } = read
    if (own == null || account == null) throw badAnswer(`the node gave no proposal at ${address}, or no DAO of it`)
    const proposal = decodeProposal(program, own)
    const decimals = decimalsOf(known)
    const bps = bpsOf(proposal, decodeDao(program, account))
    const live = proposal.state === 'pending' ? liveMarkets(account) : null
    headOf(sources, parts)
    return await history.read(async reading => {
      const told = (await toldBy(reading, address)).get(address) ?? {}
      if (live !== null || !isTold({ proposal, told })) {
        await checkTold(reading, proposal.dao)
        // all since it was made
        extentOf(reading, proposal.dao, madeAfter(told), { mustBeWhole: true })
      }
      const row = rowOf({ proposal, bps, decimals, told })
      if (live === null) return { ...row, ...NOT_LIVE }
      async function sumsOf (market: MarketKey['market']) {
        const days = await reading.candles(proposal.dao, '1d', ALL_DAYS, { proposal: address, market })
        return {
          volume: exactSum(days.reduce((sum, { quote }) => sum + quote, 0n), decimals.quoteDecimals),
          trades: days.reduce((sum, { trades }) => sum + trades, 0)
        }
      }
      const sums = { pass: await sumsOf('pass'), fail: await sumsOf('fail') }
      return { ...row, ...liveMarketsOf(live, sums, bps, decimals, { time, slot }) }
    })
  }, { max: MAX_RECORDS })
  const response = formOf(record, value => jsonResponse(value))

  async function rows (parts: Part[], { state, dao: asked, limit, before }: ProposalsAsked) {
    const [dao, known] = await Promise.all([asked === undefined ? undefined : daoOf(snapshots, asked), all(parts)])
    const from = before === undefined ? 0 : known.findIndex(({ proposal }) => proposal.address === before) + 1
    if (before !== undefined && from === 0) throw invalidParameter('before', 'the address of a proposal')
    const isAsked = ({ proposal }: Known) =>
      (state === undefined || proposal.state === state) && (dao === undefined || proposal.dao === dao)
    const page = known.slice(from).filter(isAsked).slice(0, limit)
    // what is missing is null in its row: one DAO does not hold up the others
    if (page.some(({ isRead }) => !isRead)) throw warmingUp('the past of proposals is still being read')
    return page.map(rowOf)
  }

  return {
    /** Of all known DAOs, kept. */
    all,
    rows,
    list: async (parts: Part[], asked: ProposalsAsked) => jsonResponse(await rows(parts, asked)),
    record,
    one: (parts: Part[], address: string) => within(find([], address).then(() => response(parts, address))),
    trades,
    candles
  }
}
