/** The simulated chain: plain synchronous code, usable with or without the node that serves it. */
import { createAccountStates } from './account-states.js'
import { type Account, createAccountStore } from './accounts.js'
import { LOADER, PROGRAMS, USDC, relaunchAddresses } from './addresses.js'
import { type ProgramBuild, type SpotSwap, createChain } from './chain.js'
import { type Dao, type DaoOptions, createDao } from './dao.js'
import { forgeEvent, type ForgeryKind } from './forged.js'
import { type Launch, type LaunchOptions, createLaunch } from './launch.js'
import { type DaoLayout } from './layouts.js'
import { type Mint, type MintOptions, createMint, createTokenAccount } from './mint.js'
import { createRandom } from './random.js'
import { createSlotClock } from './slot-clock.js'
import { createHistory } from './transactions.js'

/** Of the account of an upgradeable program: where its code is. */
const PROGRAM_SIZE = 36

export interface LedgerOptions {
  seed?: number
  /** Unix seconds; default 2026-01-01. */
  time?: number
  /** Slots of the past are as long as mainnet's were at the time; else all take 200 ms. */
  eras?: boolean
  /** Share of version 1 transactions; default 0.4, about what mainnet has. */
  versionOne?: number
  /** Whether `swaps` is filled; benchmarks do without. */
  keepSwaps?: boolean
}

export interface ProgramUpgrade {
  appended?: ProgramBuild['appended']
  layout?: DaoLayout
  room?: number
}

/**
 * The next release as the program's development branch has it: fields behind the proposal's events (an action; whether
 * the team sponsored it) and a longer account. `dao.applyLiquidation` is of it, too.
 */
export const NEXT_RELEASE: ProgramUpgrade = {
  appended: { InitializeProposalEvent: 34, FinalizeProposalEvent: 1 }, layout: 'F3', room: 1
}

export interface RelaunchOptions extends Omit<DaoOptions, 'creator' | 'nonce' | 'base'> {
  base: Mint
  /** Raw units that nobody has claimed yet. */
  unclaimed: bigint
}

/** What a node listens to. */
export interface LedgerListener {
  transaction? (index: number): void
  account? (address: string): void
  slot? (slot: number): void
}

export type Ledger = ReturnType<typeof createLedger>

export function createLedger (options: LedgerOptions = {}) {
  const seed = options.seed ?? 1
  const program = PROGRAMS.futarchy
  const clock = createSlotClock({ time: options.time ?? 1_767_225_600, slot: 400_000_000 }, options.eras)
  const listeners = new Set<LedgerListener>()
  const accounts = createAccountStore(address => {
    for (const listener of listeners) listener.account?.(address)
  })
  const history = createHistory(seed)
  const random = createRandom(seed)
  const swaps: SpotSwap[] = []
  const keepSwaps = options.keepSwaps ?? true
  const chain = createChain({
    program,
    accounts,
    history,
    random,
    clock,
    versionOne: options.versionOne ?? 0.4,
    seed,
    onSwap: swap => { if (keepSwaps) swaps.push(swap) },
    onTransaction: index => { for (const listener of listeners) listener.transaction?.(index) }
  })
  for (const deployed of [program, PROGRAMS.aggregator]) {
    accounts.put(deployed, LOADER, () => Buffer.alloc(PROGRAM_SIZE))
  }
  const daos: Dao[] = []
  const launches: Launch[] = []
  const mints = new Map<string, Mint>()

  const ledger = {
    program,
    eventAuthority: chain.eventAuthority,
    chain,
    history,
    accounts,
    random,
    daos,
    launches,
    mints,
    /** Every genuine, successful spot swap in order: for an independent count. */
    swaps,
    /** Unix seconds by the chain's own clock. */
    get time () { return clock.time },
    /** Unix seconds in truth; the same unless the chain's clock has fallen behind. */
    get utc () { return clock.utc },
    /** Ms since the start. */
    get elapsed () { return clock.elapsed },
    get slot () { return clock.slot },
    /** The slot that was the newest so many ms after the start. */
    slotAt: clock.slotAt,
    /** Unix seconds of the block at a slot. */
    timeOf: clock.timeOf,
    /** Milliseconds of a slot from now on, 200 at first; null: the chain has halted, time passes without slots. */
    get slotMs () { return clock.slotMs },
    set slotMs (value: number | null) { clock.slotMs = value },
    /** Slots that pass at once and are shown to nobody, as at a hand-over in which commitments are held back. */
    skipSlots: clock.skip,

    /** How many seconds of the chain's own clock pass in one from now on: below 1 it falls behind UTC. */
    get clockRate () { return clock.rate },
    set clockRate (rate: number) { clock.rate = rate },
    /** The chain's clock jumps to UTC and keeps up with it. */
    correctClock: clock.correct,

    /** Lets time pass: one slot per 0.2 s, unless `slotMs` says otherwise. */
    advance (seconds: number): void {
      clock.advance(Math.round(seconds * 1000))
      for (const listener of listeners) listener.slot?.(clock.slot)
    },

    mint (mintOptions: MintOptions = {}): Mint {
      const mint = createMint(accounts, mintOptions.address ?? chain.newAddress(), mintOptions)
      mints.set(mint.address, mint)
      return mint
    },

    /** Mainnet USDC, 6 decimals; the same one each time. */
    usdc: (): Mint => mints.get(USDC) ?? ledger.mint(
      { address: USDC, decimals: 6, symbol: 'USDC', name: 'USD Coin', supply: 9_000_000_000_000_000n }
    ),

    /** A DAO at its real derived address; reserves come by a ProvideLiquidity transaction. */
    dao (daoOptions: DaoOptions): Dao {
      const dao = createDao(chain, daoOptions)
      chain.act({ payer: dao.creator }, dao, tx => { dao.initialize(tx) })
      if ((daoOptions.quoteReserves ?? 0n) > 0n) {
        dao.provideLiquidity(daoOptions.quoteReserves!, daoOptions.baseReserves ?? 0n)
      }
      daos.push(dao)
      return dao
    },

    launch (launchOptions: LaunchOptions): Launch {
      const launch = createLaunch(
        { chain, mint: ledger.mint, usdc: ledger.usdc, adopt: dao => { daos.push(dao) } }, launchOptions
      )
      launches.push(launch)
      return launch
    },

    /** A DAO for a token that is there already: made by `relaunch`, without a Launch account. */
    relaunch ({ unclaimed, ...daoOptions }: RelaunchOptions): Dao {
      const { signer, vault } = relaunchAddresses(daoOptions.base.address)
      createTokenAccount(accounts, signer, daoOptions.base, unclaimed, vault)
      return ledger.dao({ ...daoOptions, creator: signer, nonce: 0n })
    },

    /** A new build from here on: events and accounts as `ProgramBuild` and `dao.resize` say. */
    upgradeProgram ({ appended = {}, layout, room = 0 }: ProgramUpgrade): void {
      chain.build.appended = appended
      if (layout !== undefined) for (const dao of daos) dao.resize(layout, room)
    },

    /** Several actions, also of several DAOs, in one transaction; throws away all of them if one throws. */
    transaction: chain.transaction,

    /** A look-alike of a swap event that the program never made; changes no state. */
    forgedEvent: (dao: Dao, kind: ForgeryKind) => forgeEvent(chain, dao, kind),

    /** A token account of anybody; `address` defaults to the associated account. */
    tokenAccount: (owner: string, mint: Mint, amount: bigint, address?: string) =>
      createTokenAccount(accounts, owner, mint, amount, address),

    /** As `override` of the account store. */
    setAccount: accounts.override,

    /** A copy of what is at an address. */
    account (address: string): Account | null {
      const entry = accounts.get(address)
      return entry === undefined
        ? null
        : { owner: entry.owner, data: Buffer.from(entry.data()), lamports: entry.lamports }
    },

    newAddress: chain.newAddress,

    /** Called on every change until the function returned is called. */
    listen (listener: LedgerListener): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  }
  return Object.assign(ledger, { states: createAccountStates(ledger) })
}
