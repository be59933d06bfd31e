/**
 * Proposals of a DAO: half of the reserves backs each outcome while one is live (`launch_proposal.rs`,
 * `finalize_proposal.rs`).
 */
import { ADMIN, PROGRAMS, ata, derive } from './addresses.js'
import { type Market, type Side, createOracle, mergeWinner, splitForProposal, twap } from './arithmetic.js'
import { discriminator, keyBytes, sha256, Writer } from './bytes.js'
import { type OpenTransaction } from './chain.js'
import { type DaoCore, transferData } from './dao.js'
import * as events from './events.js'
import { type ProposalState, writeProposal } from './layouts.js'
import { type TokenAccount, createMint, createTokenAccount } from './mint.js'
import { type TransactionOptions } from './transactions.js'

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
    const squadsProposal = derive(
      PROGRAMS.squads,
      'multisig',
      keyBytes(identity.multisig),
      'transaction',
      new Writer(8).u64(BigInt(number)).buffer,
      'proposal'
    ).address
    const { address, bump } = derive(chain.program, 'proposal', keyBytes(squadsProposal))
    const questionId = sha256(`Will ${address} pass?/FAIL/PASS`)
    const question = derive(PROGRAMS.conditionalVault, 'question', questionId, keyBytes(address), Buffer.of(2)).address
    const vault = (mint: string) => derive(
      PROGRAMS.conditionalVault, 'conditional_vault', keyBytes(question), keyBytes(mint)
    ).address
    const token = (of: string, index: number) => derive(
      PROGRAMS.conditionalVault, 'conditional_token', keyBytes(of), Buffer.of(index)
    ).address
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

  /** One instruction that concerns the proposal: number, event, result. */
  function instruct (tx: OpenTransaction, name: string, instruction: string, event: () => Buffer) {
    state.seq++
    touch()
    core.instruct(
      tx,
      name,
      [dao, proposal!.address, identity.baseVault, identity.quoteVault, PROGRAMS.token],
      discriminator('global', instruction),
      [],
      event()
    )
    return { seq: state.seq, signature: tx.signature, proposal: proposal!.address }
  }

  function propose (tx: OpenTransaction) {
    if (proposal !== null &&
      (proposal.status === 'draft' || proposal.status === 'pending')) throw new RangeError('a proposal is open')
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
    return instruct(
      tx, 'InitializeProposal', 'initialize_proposal', () => events.initializeProposalEvent(core.context(tx), created)
    )
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

  const actions = {
    initializeProposal: (options: TransactionOptions = {}) => core.act(options, propose),

    stake (amount = 1_000_000n, options: TransactionOptions = {}) {
      const draft = current('draft')
      return core.act(options, tx => {
        draft.staked += amount
        return instruct(
          tx,
          'StakeToProposal',
          'stake_to_proposal',
          () => events.stakeEvent(core.context(tx), 'stake', draft, draft.proposer, amount)
        )
      })
    },

    unstake (amount = 1_000_000n, options: TransactionOptions = {}) {
      const staked = proposal
      if (staked === null || staked.staked < amount) throw new RangeError('nothing is staked')
      return core.act(options, tx => {
        staked.staked -= amount
        return instruct(
          tx,
          'UnstakeFromProposal',
          'unstake_from_proposal',
          () => events.stakeEvent(core.context(tx), 'unstake', staked, staked.proposer, amount)
        )
      })
    },

    sponsor (options: TransactionOptions = {}) {
      const draft = current('draft')
      return core.act(options, tx => {
        draft.sponsored = true
        const { teamAddress } = state.config
        return instruct(
          tx,
          'SponsorProposal',
          'sponsor_proposal',
          () => events.proposalNoteEvent(core.context(tx), 'SponsorProposalEvent', draft.address, teamAddress)
        )
      })
    },

    /** Spot → Futarchy. Without a draft, one is initialized in a transaction before. No token moves. */
    launchProposal (options: TransactionOptions = {}) {
      if (state.pools.pass !== null) throw new RangeError('PoolNotInSpotState')
      if (proposal?.status !== 'draft') actions.initializeProposal()
      const draft = current('draft')
      return core.act(options, tx => {
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
        return instruct(
          tx, 'LaunchProposal', 'launch_proposal', () => events.launchProposalEvent(core.context(tx), draft)
        )
      })
    },

    /** Futarchy → Spot; the winner is the caller's, or else the program's, which compares the two average prices. */
    finalizeProposal ({ passed }: { passed?: boolean } = {}, options: TransactionOptions = {}) {
      const ended = current('pending')
      return core.act(options, tx => {
        const twaps = { pass: twap(state.pools.pass!), fail: twap(state.pools.fail!) }
        const threshold = twaps.fail * BigInt(10000 + state.config.passThresholdBps) / 10000n
        const fees = end(tx, passed ?? twaps.pass > threshold ? 'pass' : 'fail')
        const event = () => events.finalizeProposalEvent(core.context(tx), ended, { ...twaps, threshold })
        return {
          ...instruct(tx, 'FinalizeProposal', 'finalize_proposal', event),
          fees,
          averages: { ...twaps, threshold },
          time: tx.time
        }
      })
    },

    /** As if it had failed (`admin_cancel_proposal.rs`). */
    cancelProposal (options: TransactionOptions = {}) {
      const ended = current('pending')
      return core.act({ payer: ADMIN, ...options }, tx => {
        const fees = end(tx, 'fail')
        const event = () => events.proposalNoteEvent(core.context(tx), 'AdminCancelProposalEvent', ended.address, ADMIN)
        return { ...instruct(tx, 'AdminCancelProposal', 'admin_cancel_proposal', event), fees, time: tx.time }
      })
    },

    /** Takes a draft away. */
    removeProposal (options: TransactionOptions = {}) {
      const draft = current('draft')
      return core.act({ payer: ADMIN, ...options }, tx => {
        draft.status = 'removed'
        return instruct(
          tx,
          'AdminRemoveProposal',
          'admin_remove_proposal',
          () => events.proposalNoteEvent(core.context(tx), 'RemoveProposalEvent', draft.address, ADMIN)
        )
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
     * The tokens of a conditional swap (`conditional_swap.rs`): what comes in is merged with its twin as far as there
     * is one, what goes out is split from the vault as far as the DAO does not hold it.
     */
    settleSwap (
      tx: OpenTransaction, market: Market, side: Side, input: bigint, output: bigint, user: string, minimum: bigint
    ): void {
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
      const event = events.conditionalSwapEvent(
        core.context(tx), live.address, user, market, side, input, output, minimum
      )
      const data = new Writer(26).bytes(
        discriminator('global', 'conditional_swap')
      ).u8(market === 'pass' ? 1 : 2).u8(events.sideTag(side)).u64(input).u64(minimum).buffer
      core.instruct(tx, 'ConditionalSwap', [
        dao, identity.baseVault, identity.quoteVault, live.address, received.address, paid.address, user,
        PROGRAMS.conditionalVault, PROGRAMS.token
      ], data, [
        {
          program: PROGRAMS.token,
          accounts: [ata(user, inMint), received.address, user],
          height: 2,
          data: transferData(input)
        },
        {
          program: PROGRAMS.token,
          accounts: [paid.address, ata(user, outMint), dao],
          height: 2,
          data: transferData(output)
        }
      ], event)
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
