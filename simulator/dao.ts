/** A DAO with its embedded pools: each method is an instruction of the program, its account and its event. */
import {
  PROGRAMS, ammPosition, ata, daoAddress, multisigAddress, squadsLimitAddress, squadsVault
} from './addresses.js'
import {
  type Fees, type Market, type Side, clonePool, conditionalSwap, createOracle, createPool, spotSwap
} from './arithmetic.js'
import { Writer, discriminator } from './bytes.js'
import { type Chain, type OpenTransaction, type SpotSwap } from './chain.js'
import * as events from './events.js'
import {
  type DaoConfig, type DaoIdentity, type DaoLayout, type DaoState, type SquadsLimit, DAO_SIZE, writeDao,
  writeSquadsLimit
} from './layouts.js'
import { type Mint, createTokenAccount } from './mint.js'
import { createProposals } from './proposals.js'
import { type Call } from './shapes.js'
import { type TransactionOptions } from './transactions.js'
import { createTreasury } from './treasury.js'

export interface DaoOptions {
  base: Mint
  quote: Mint
  /** Raw units; both 0: no liquidity is provided. */
  baseReserves?: bigint
  quoteReserves?: bigint
  /** Build of the program that writes the account and the events; default F2. */
  layout?: DaoLayout
  /** 0 to 10 members of a spending limit; default none. */
  spendingMembers?: number
  /** The limit as Squads keeps it now, where a proposal has changed it. */
  squadsLimit?: SquadsLimit
  creator?: string
  nonce?: bigint
  protocolFeeBps?: number
  lpFeeBps?: number
  config?: Partial<DaoConfig>
}

/** What actions of a DAO are made of; shared with the proposals. */
export interface DaoCore {
  chain: Chain
  identity: DaoIdentity
  state: DaoState
  fees: Fees
  /** Token accounts that hold the reserves. */
  vaults: { base: { amount: bigint, address: string }, quote: { amount: bigint, address: string } }
  touch (): void
  /** Writes the account now, so that what it held stays behind as stale bytes when it shrinks. */
  freeze (): void
  act<T> (options: TransactionOptions, body: (tx: OpenTransaction) => T): T
  context (tx: { slot: number, time: number }): events.EventContext
  /**
   * Adds one instruction of the program to the transaction, with its inner calls and the event, which takes the DAO's
   * next number, as the last of them. `args`: its data behind its name.
   */
  instruct (
    tx: OpenTransaction, name: string, accounts: string[], event: (context: events.EventContext) => Buffer,
    more?: { args?: Buffer, inner?: Array<Call & { data: Buffer }> }
  ): { seq: number, signature: string, time: number }
}

export type Dao = ReturnType<typeof createDao>

/** An SPL token transfer that an instruction makes. */
export const transfer = (from: string, to: string, owner: string, amount: bigint): Call & { data: Buffer } =>
  ({ program: PROGRAMS.token, accounts: [from, to, owner], height: 2, data: new Writer(9).u8(3).u64(amount).buffer })

/** `CollectFees` is `collect_fees` where it is called. */
const calledAs = (name: string): Buffer =>
  discriminator('global', name.replaceAll(/(?<=.)[A-Z]/g, letter => `_${letter}`).toLowerCase())

const DEFAULT_CONFIG: DaoConfig = {
  passThresholdBps: 300,
  secondsPerProposal: 259200,
  twapInitial: 10n ** 11n,
  twapMaxChange: 5n * 10n ** 9n,
  twapStartDelay: 86400,
  minQuoteLiquidity: 1n,
  minBaseLiquidity: 1n,
  baseToStake: 0n,
  teamThresholdBps: -300,
  teamAddress: PROGRAMS.system,
  optimistic: false
}

export function createDao (chain: Chain, options: DaoOptions) {
  const { base, quote } = options
  const creator = options.creator ?? chain.newAddress()
  // Standalone DAOs use a random nonce below 2^50 (`scripts/v0.6/createDao.ts`).
  const nonce = options.nonce ?? BigInt(Math.floor(chain.random.next() * 2 ** 50))
  const { address, bump } = daoAddress(chain.program, creator, nonce)
  const multisig = multisigAddress(address)
  const identity: DaoIdentity = {
    address,
    layout: options.layout ?? 'F2',
    nonce,
    creator,
    bump,
    multisig,
    vault: squadsVault(multisig),
    baseMint: base.address,
    quoteMint: quote.address,
    baseVault: ata(address, base.address),
    quoteVault: ata(address, quote.address),
    spendingLimit: options.spendingMembers === undefined || options.spendingMembers === 0
      ? null
      : { amount: 50_000_000_000n, members: Array.from({ length: options.spendingMembers }, () => chain.newAddress()) }
  }
  const state: DaoState = {
    pools: { spot: createPool(createOracle(chain.time, 0n, 0n, 0)), pass: null, fail: null },
    totalLiquidity: 0n,
    seq: 0,
    proposalCount: 0,
    config: { ...DEFAULT_CONFIG, ...options.config }
  }
  state.pools.spot.oracle = createOracle(chain.time, state.config.twapInitial, state.config.twapMaxChange, 0)
  const fees: Fees = { protocol: BigInt(options.protocolFeeBps ?? 50), lp: BigInt(options.lpFeeBps ?? 0) }
  let image = Buffer.alloc(DAO_SIZE[identity.layout])
  const entry = chain.accounts.put(address, chain.program, () => writeDao(image, identity, state))
  const vaults = {
    base: createTokenAccount(chain.accounts, address, base), quote: createTokenAccount(chain.accounts, address, quote)
  }
  const { squadsLimit } = options
  if (squadsLimit !== undefined) {
    chain.accounts.put(squadsLimitAddress(identity), PROGRAMS.squads, () => writeSquadsLimit(identity, squadsLimit))
  }
  const positionAddress = ammPosition(chain.program, address, identity.vault)

  const core: DaoCore = {
    chain,
    identity,
    state,
    fees,
    vaults,
    touch: () => entry.touch(),
    freeze: () => { entry.data() },
    act: (actionOptions, body) => chain.act(actionOptions, dao, body),
    context: ({ slot, time }) => ({ identity, state, slot, time, appended: chain.build.appended }),
    instruct (tx, name, accounts, event, { args = Buffer.alloc(0), inner = [] } = {}) {
      state.seq++
      const outer = { program: chain.program, accounts: [...accounts, chain.eventAuthority, chain.program], height: 1 }
      const calls = [outer, ...inner, { program: chain.program, accounts: [chain.eventAuthority], height: 2 }]
      tx.add({
        key: `${name}/${address}/${accounts.join()}/${inner.map(call => call.accounts.join()).join()}`,
        shape: () => ({ name, calls: calls.map(({ program, accounts, height }) => ({ program, accounts, height })) }),
        data: [Buffer.concat([calledAs(name), args]), ...inner.map(call => call.data), event(core.context(tx))]
      })
      entry.touch()
      return { seq: state.seq, signature: tx.signature, time: tx.time }
    }
  }
  const proposals = createProposals(core)
  const trader = (): string => chain.traders[(state.seq + Number(nonce % 5n)) % 4]!

  const dao = {
    address,
    base,
    quote,
    creator,
    nonce,
    identity,
    squadsLimit,
    state,
    positionAddress,
    /** Number of the newest event. */
    get seqNum () { return state.seq },
    get createdAt () { return state.pools.spot.oracle.created },
    /** Raw units of the spot pool. */
    get reserves () { return { base: state.pools.spot.base, quote: state.pools.spot.quote } },
    get feeBalances () { return { base: state.pools.spot.baseFees, quote: state.pools.spot.quoteFees } },
    get vaults () { return { base: vaults.base.amount, quote: vaults.quote.amount } },
    get proposalLive () { return state.pools.pass !== null },
    get proposal () { return proposals.current() },
    get conditionalBalances () { return proposals.balances() },

    swap (side: Side, input: bigint, options: TransactionOptions = {}): SpotSwap {
      const user = trader()
      return core.act({ payer: user, ...options }, tx => {
        const { output, fee } = spotSwap(state.pools, input, side, fees, tx.time)
        const [inside, outside] = side === 'buy' ? [vaults.quote, vaults.base] : [vaults.base, vaults.quote]
        inside.amount += input
        outside.amount -= output
        const [userBase, userQuote] = [ata(user, base.address), ata(user, quote.address)]
        const [from, to] = side === 'buy' ? [userQuote, userBase] : [userBase, userQuote]
        core.instruct(
          tx, 'SpotSwap',
          [address, userBase, userQuote, identity.baseVault, identity.quoteVault, user, PROGRAMS.token],
          context => events.spotSwapEvent(context, user, side, input, output),
          {
            args: new Writer(17).u64(input).u8(events.sideTag(side)).u64(events.LEAST_OUTPUT).buffer,
            inner: [transfer(from, inside.address, user, input), transfer(outside.address, to, address, output)]
          }
        )
        const swap: SpotSwap = {
          dao: address,
          seq: state.seq,
          time: tx.time,
          slot: tx.slot,
          signature: tx.signature,
          side,
          input,
          output,
          fee,
          trader: user,
          quoteReserves: state.pools.spot.quote,
          baseReserves: state.pools.spot.base
        }
        tx.swapped(swap)
        return swap
      })
    },

    conditionalSwap (market: Market, side: Side, input: bigint) {
      const user = trader()
      return core.act({ payer: user }, tx => {
        const { output, fee } = conditionalSwap(state.pools, input, side, market, fees, tx.time)
        const settled = proposals.settleSwap(tx, market, side, input, output, user)
        return { ...settled, input, output, fee, slot: tx.slot }
      })
    },

    ...proposals.actions,

    ...createTreasury(core, creator, positionAddress),

    /** From here on the program charges these: 25/25 at first, 50/0 since. */
    setFees (protocolBps: number, lpBps: number): void {
      fees.protocol = BigInt(protocolBps)
      fees.lp = BigInt(lpBps)
    },

    /**
     * A later build's layout: the account grows, events carry that build's fields. `room`: bytes beyond what that build
     * needs.
     */
    resize (layout: DaoLayout, room = 0): void {
      entry.data()
      identity.layout = layout
      const larger = Buffer.alloc(DAO_SIZE[layout] + room)
      image.copy(larger)
      image = larger
      entry.touch()
    },

    /** Tokens sent to the vaults by somebody: reserves stay as they are. */
    donate (baseAmount: bigint, quoteAmount: bigint): void {
      vaults.base.amount += baseAmount
      vaults.quote.amount += quoteAmount
    },

    save (): () => void {
      const kept = {
        spot: clonePool(state.pools.spot),
        pass: state.pools.pass && clonePool(state.pools.pass),
        fail: state.pools.fail && clonePool(state.pools.fail),
        config: { ...state.config },
        rest: [state.totalLiquidity, state.seq, state.proposalCount, vaults.base.amount, vaults.quote.amount] as const,
        proposals: proposals.save()
      }
      return () => {
        state.pools = { spot: kept.spot, pass: kept.pass, fail: kept.fail }
        state.config = kept.config;
        [state.totalLiquidity, state.seq, state.proposalCount, vaults.base.amount, vaults.quote.amount] = kept.rest
        kept.proposals()
        entry.touch()
      }
    }
  }
  return dao
}
