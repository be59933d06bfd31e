/**
 * Proposals of a DAO: half of the reserves backs each outcome while one is live (`launch_proposal.rs`,
 * `finalize_proposal.rs`).
 */
import { ADMIN, PROGRAMS, ata, derive } from './addresses.js'
import { type Market, type Side, createOracle, mergeWinner, splitForProposal, twap } from './arithmetic.js'
import { keyBytes, sha256, Writer } from './bytes.js'
import { type OpenTransaction } from './chain.js'
import { type DaoCore, transfer } from './dao.js'
import * as events from './events.js'
import { type ProposalState, writeProposal } from './layouts.js'
import { type TokenAccount, createMint, createTokenAccount } from './mint.js'

type Outcome = 'passBase' | 'passQuote' | 'failBase' | 'failQuote'
const OUTCOMES: readonly Outcome[] = ['passBase', 'passQuote', 'failBase', 'failQuote']

/** What the proposer, stakers and admins do, and what conditional swaps move. */
export function createProposals (core: DaoCore) {
  const { chain, identity, state, vaults } = core
  const dao = identity.address
  let proposal: ProposalState | null = null
  /** The DAO's holdings of conditional tokens: empty at launch, filled as trades need them. */
  let holdings: Record<Outcome, TokenAccount> | null = null

  function addresses (number: number) {
    const transaction = new Writer(8).u64(BigInt(number)).buffer
    const squadsProposal = derive(
      PROGRAMS.squads, 'multisig', keyBytes(identity.multisig), 'transaction', transaction, 'proposal'
    ).address
    const { address, bump } = derive(chain.program, 'proposal', keyBytes(squadsProposal))
    const questionId = sha256(`Will ${address} pass?/FAIL/PASS`)
    const question = derive(PROGRAMS.conditionalVault, 'question', questionId, keyBytes(address), Buffer.of(2)).address
    const vault = (mint: string) =>
      derive(PROGRAMS.conditionalVault, 'conditional_vault', keyBytes(question), keyBytes(mint)).address
    const token = (of: string, index: number) =>
      derive(PROGRAMS.conditionalVault, 'conditional_token', keyBytes(of), Buffer.of(index)).address
    const [baseVault, quoteVault] = [vault(identity.baseMint), vault(identity.quoteMint)]
    return {
      address,
      bump,
      question,
      squadsProposal,
      baseVault,
      quoteVault,
      failBase: token(baseVault, 0),
      passBase: token(baseVault, 1),
      failQuote: token(quoteVault, 0),
      passQuote: token(quoteVault, 1)
    }
  }

  function current (...statuses: Array<ProposalState['status']>): ProposalState {
    if (proposal === null || !statuses.includes(proposal.status)) {
      throw new RangeError(`no proposal is ${statuses.join(' or ')}`)
    }
    return proposal
  }

  function touch (): void {
    if (proposal !== null) chain.accounts.get(proposal.address)?.touch()
    core.touch()
  }

  /** One instruction that concerns the proposal. */
  function instruct (tx: OpenTransaction, name: string, event: (context: events.EventContext) => Buffer) {
    touch()
    const accounts = [proposal!.address, dao, identity.baseVault, identity.quoteVault, PROGRAMS.token]
    return { ...core.instruct(tx, name, accounts, event), proposal: proposal!.address }
  }

  function propose (tx: OpenTransaction) {
    if (proposal?.status === 'draft' || proposal?.status === 'pending') throw new RangeError('a proposal is open')
    const number = ++state.proposalCount
    const created: ProposalState = {
      ...addresses(number),
      number,
      proposer: chain.traders[number % chain.traders.length]!,
      enqueued: 0,
      status: 'draft',
      staked: 0n,
      duration: state.config.secondsPerProposal,
      sponsored: false
    }
    proposal = created
    chain.accounts.put(created.address, chain.program, () => writeProposal(created, dao))
    return instruct(tx, 'InitializeProposal', context => events.initializeProposalEvent(context, created))
  }

  /** Gives what the winning market's pool held of fees. */
  function end (tx: OpenTransaction, winner: Market): { quote: bigint, base: bigint } {
    const ended = current('pending')
    const { quoteFees: quote, baseFees: base } = state.pools[winner]!
    core.freeze()
    for (const [side, vault] of [['Base', vaults.base], ['Quote', vaults.quote]] as const) {
      vault.amount += holdings![`${winner}${side}`].amount
    }
    for (const outcome of OUTCOMES) holdings![outcome].amount = 0n
    holdings = null
    mergeWinner(state.pools, winner)
    ended.status = winner === 'pass' ? 'passed' : 'failed'
    return { quote, base }
  }

  /** Puts so much behind a proposal, or takes it back. */
  function stake (staked: ProposalState, kind: 'stake' | 'unstake', amount: bigint) {
    return core.act({}, tx => {
      staked.staked += kind === 'stake' ? amount : -amount
      return instruct(
        tx, kind === 'stake' ? 'StakeToProposal' : 'UnstakeFromProposal',
        context => events.stakeEvent(context, kind, staked, staked.proposer, amount)
      )
    })
  }

  const actions = {
    initializeProposal: () => core.act({}, propose),

    stake: (amount = 1_000_000n) => stake(current('draft'), 'stake', amount),

    unstake (amount = 1_000_000n) {
      if (proposal === null || proposal.staked < amount) throw new RangeError('nothing is staked')
      return stake(proposal, 'unstake', amount)
    },

    sponsor () {
      const draft = current('draft')
      return core.act({}, tx => {
        draft.sponsored = true
        return instruct(tx, 'SponsorProposal', context => events.proposalNoteEvent(
          context, 'SponsorProposalEvent', draft.address, state.config.teamAddress
        ))
      })
    },

    /** Spot → Futarchy. Without a draft, one is initialized in a transaction before. No token moves. */
    launchProposal () {
      if (state.pools.pass !== null) throw new RangeError('PoolNotInSpotState')
      if (proposal?.status !== 'draft') actions.initializeProposal()
      const draft = current('draft')
      return core.act({}, tx => {
        const { config } = state
        splitForProposal(
          state.pools, () => createOracle(tx.time, config.twapInitial, config.twapMaxChange, config.twapStartDelay)
        )
        draft.status = 'pending'
        draft.enqueued = tx.time
        const tokens = OUTCOMES.map(outcome => {
          const mint = createMint(
            chain.accounts, draft[outcome], { supply: 0n, decimals: 6, metadata: 'none', mintAuthority: identity.vault }
          )
          return [outcome, createTokenAccount(chain.accounts, dao, mint)] as const
        })
        holdings = Object.fromEntries(tokens) as Record<Outcome, TokenAccount>
        return instruct(tx, 'LaunchProposal', context => events.launchProposalEvent(context, draft))
      })
    },

    /** Futarchy → Spot; the winner is the caller's, or else the program's, which compares the two average prices. */
    finalizeProposal ({ passed }: { passed?: boolean } = {}) {
      const ended = current('pending')
      return core.act({}, tx => {
        const [pass, fail] = [twap(state.pools.pass!), twap(state.pools.fail!)]
        const averages = { pass, fail, threshold: fail * BigInt(10000 + state.config.passThresholdBps) / 10000n }
        const fees = end(tx, passed ?? pass > averages.threshold ? 'pass' : 'fail')
        const event = (context: events.EventContext) => events.finalizeProposalEvent(context, ended, averages)
        return { ...instruct(tx, 'FinalizeProposal', event), fees, averages }
      })
    },

    /** As if it had failed (`admin_cancel_proposal.rs`). */
    cancelProposal () {
      const ended = current('pending')
      return core.act({ payer: ADMIN }, tx => {
        const fees = end(tx, 'fail')
        const event = (context: events.EventContext) =>
          events.proposalNoteEvent(context, 'AdminCancelProposalEvent', ended.address, ADMIN)
        return { ...instruct(tx, 'AdminCancelProposal', event), fees }
      })
    },

    /** Takes a draft away. */
    removeProposal () {
      const draft = current('draft')
      return core.act({ payer: ADMIN }, tx => {
        draft.status = 'removed'
        return instruct(tx, 'AdminRemoveProposal', context => events.proposalNoteEvent(
          context, 'RemoveProposalEvent', draft.address, ADMIN
        ))
      })
    }
  }

  return {
    actions,
    current: () => proposal,
    balances: () => holdings === null
      ? null
      : Object.fromEntries(OUTCOMES.map(outcome => [outcome, holdings![outcome].amount])) as Record<Outcome, bigint>,

    /**
     * Of a conditional swap (`conditional_swap.rs`): what comes in is merged with its twin as far as there is one, what
     * goes out is split from the vault as far as the DAO does not hold it.
     */
    settleSwap (tx: OpenTransaction, market: Market, side: Side, input: bigint, output: bigint, user: string) {
      const live = current('pending')
      const other = market === 'pass' ? 'fail' : 'pass'
      const [inward, outward] = side === 'buy' ? ['Quote', 'Base'] as const : ['Base', 'Quote'] as const
      const vaultOf = { Base: vaults.base, Quote: vaults.quote }
      const received = holdings![`${market}${inward}`]
      const twin = holdings![`${other}${inward}`]
      received.amount += input
      const merged = received.amount < twin.amount ? received.amount : twin.amount
      received.amount -= merged
      twin.amount -= merged
      vaultOf[inward].amount += merged
      const paid = holdings![`${market}${outward}`]
      const split = output > paid.amount ? output - paid.amount : 0n
      vaultOf[outward].amount -= split
      holdings![`${other}${outward}`].amount += split
      paid.amount += split - output
      const [inMint, outMint] = [live[`${market}${inward}`], live[`${market}${outward}`]]
      const args = new Writer(18).u8(market === 'pass' ? 1 : 2).u8(events.sideTag(side)).u64(input)
        .u64(events.LEAST_OUTPUT).buffer
      return core.instruct(tx, 'ConditionalSwap', [
        dao, identity.baseVault, identity.quoteVault, live.address, received.address, paid.address, user,
        PROGRAMS.conditionalVault, PROGRAMS.token
      ], context => events.conditionalSwapEvent(context, live.address, user, market, side, input, output), {
        args,
        inner: [
          transfer(ata(user, inMint), received.address, user, input),
          transfer(paid.address, ata(user, outMint), dao, output)
        ]
      })
    },

    save (): () => void {
      const kept = proposal && { ...proposal }
      const was = proposal
      const accounts = holdings
      const amounts = OUTCOMES.map(outcome => holdings?.[outcome].amount ?? 0n)
      return () => {
        if (proposal !== null && proposal !== was) chain.accounts.remove(proposal.address)
        proposal = was
        if (was !== null) Object.assign(was, kept)
        holdings = accounts
        OUTCOMES.forEach((outcome, at) => { if (accounts !== null) accounts[outcome].amount = amounts[at]! })
        touch()
      }
    }
  }
}
