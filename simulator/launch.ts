/**
 * A launch from its sale to its DAO, in the three versions of the launchpad (`complete_launch.rs`, `settle_launch.rs`).
 */
import { type LaunchVersion, PROGRAMS, launchAddresses } from './addresses.js'
import { PRICE_SCALE } from './arithmetic.js'
import { Writer, discriminator } from './bytes.js'
import { type Chain, type OpenTransaction } from './chain.js'
import { type Dao, createDao } from './dao.js'
import { EVENT_TAG } from './events.js'
import { LAUNCH_STATUS, type LaunchState, writeLaunch } from './launch-layouts.js'
import { type DaoLayout } from './layouts.js'
import { type Mint, type MintOptions, type TokenAccount, createTokenAccount } from './mint.js'
import { type TeamPackage, createPackage } from './package.js'
import { type ExternalPool, createPool } from './pool.js'

/** Raw units: launch tokens have 6 decimals (`programs/v07_launchpad/src/lib.rs`). */
const SALE = 10_000_000_000_000n
const AMM = 2_000_000_000_000n
const EXTERNAL = 900_000_000_000n

export interface LaunchOptions {
  version: LaunchVersion
  /** Of the new mint; its supply is what the launch mints. */
  mint?: MintOptions
  /** Raw quote units. */
  raise: bigint
  /** Raw base units for the team; may be 0 or dust. */
  packageAmount: bigint
  /** Raw base units for another party; v0.7 and v0.8. */
  additional?: bigint
  olderLayout?: boolean
  spendingMembers?: number
  /** Build of the DAO's program. */
  layout?: DaoLayout
}

/** What a launch needs of the ledger. */
interface LaunchHost {
  chain: Chain
  mint (options?: MintOptions): Mint
  usdc (): Mint
  adopt (dao: Dao): void
}

export type Launch = ReturnType<typeof createLaunch>

export function createLaunch (host: LaunchHost, options: LaunchOptions) {
  const { chain } = host
  const { version, raise, packageAmount } = options
  const quote = host.usdc()
  const additional = version === 'v0.6' ? 0n : options.additional ?? 0n
  const mint = host.mint(options.mint)
  const addresses = launchAddresses(version, mint.address, quote.address)
  // v0.8 mints at settlement, and never the team's tokens.
  mint.supply = version === 'v0.8' ? 0n : SALE + AMM + EXTERNAL + packageAmount + additional
  mint.mintAuthority = addresses.signer
  const price = raise * PRICE_SCALE / SALE
  const members = Array.from({ length: options.spendingMembers ?? 0 }, () => chain.newAddress())
  const team = chain.newAddress()
  const state: LaunchState = {
    version,
    olderLayout: options.olderLayout ?? false,
    bump: addresses.launchBump,
    minimumRaise: raise,
    monthlyLimit: raise / 20n,
    members,
    authority: chain.newAddress(),
    signer: addresses.signer,
    signerBump: addresses.signerBump,
    quoteVault: addresses.quoteVault,
    baseVault: addresses.baseVault,
    baseMint: mint.address,
    quoteMint: quote.address,
    started: chain.time,
    closed: null,
    completed: null,
    committed: raise,
    raise,
    status: 'live',
    seq: 1n,
    dao: null,
    daoVault: null,
    grantee: chain.newAddress(),
    packageAmount,
    monthsLocked: 18,
    team,
    additional,
    additionalRecipient: additional > 0n ? chain.newAddress() : null,
    additionalClaimed: false,
    packageInitialized: false,
    governor: addresses.governor
  }
  const entry = chain.accounts.put(addresses.launch, PROGRAMS[version], () => writeLaunch(state))
  const baseVault = createTokenAccount(chain.accounts, addresses.signer, mint, mint.supply)
  const quoteVault = createTokenAccount(chain.accounts, addresses.signer, quote, raise)
  let dao: Dao | null = null
  let pool: ExternalPool | null = null
  let teamPackage: TeamPackage | null = null
  let treasury: { base: TokenAccount, quote: TokenAccount } | null = null

  /** One instruction of the launchpad, with its own event: launch, state and sequence number. */
  function instruct (name: string, instruction: string, body: (tx: OpenTransaction) => void): void {
    chain.act({ payer: state.authority }, { save: () => () => {} }, tx => {
      body(tx)
      state.seq++
      entry.touch()
      const event = new Writer(256).bytes(EVENT_TAG).bytes(discriminator('event', `Launch${name}Event`))
        .u64(BigInt(tx.slot)).i64(tx.time).u64(state.seq).key(addresses.launch).u8(LAUNCH_STATUS[state.status])
      tx.fold({
        name,
        program: PROGRAMS[version],
        accounts: [addresses.launch, addresses.signer, mint.address, addresses.baseVault, addresses.quoteVault],
        data: discriminator('global', instruction),
        event: event.done()
      })
    })
  }

  function createPackageNow (): void {
    teamPackage = createPackage(chain, {
      kind: version === 'v0.8' ? 'minted' : 'locked',
      price,
      amount: packageAmount,
      mint,
      fixed: {
        address: addresses.package,
        bump: addresses.packageBump,
        minUnlock: chain.time + state.monthsLocked * 30 * 86400,
        dao: addresses.dao,
        daoVault: addresses.daoVault,
        recipient: state.grantee,
        createKey: addresses.signer,
        vault: addresses.packageVault,
        governor: addresses.governor
      }
    })
    if (version !== 'v0.8') baseVault.amount -= packageAmount
    state.packageInitialized = true
  }

  function requirePackage (): TeamPackage {
    if (teamPackage === null) throw new RangeError('there is no package')
    return teamPackage
  }

  function createDaoNow (tx: OpenTransaction): Dao {
    const created = createDao(chain, {
      base: mint,
      quote,
      creator: addresses.signer,
      nonce: 0n,
      layout: options.layout ?? 'F2',
      spendingMembers: members.length,
      config: {
        passThresholdBps: version === 'v0.6' ? 150 : 300,
        teamThresholdBps: version === 'v0.6' ? -500 : -300,
        teamAddress: team,
        twapInitial: price,
        twapMaxChange: price / 20n,
        baseToStake: version === 'v0.6' ? mint.supply / 20n : 1_500_000_000_000n
      }
    })
    created.initialize(tx)
    return created
  }

  return {
    version,
    mint,
    quote,
    addresses,
    state: state as Readonly<LaunchState>,
    /** Tokens in the launch's base vault: unclaimed ones, and the team's before the package exists. */
    get unclaimed () { return baseVault.amount },
    get dao () { return dao },
    get pool () { return pool },
    get package () { return teamPackage },
    get treasury () { return treasury },

    /** The sale ends well: DAO, liquidity, external pool, treasury; the package too, except in v0.7. */
    complete (): Dao {
      if (state.status !== 'live') throw new RangeError(`the launch is ${state.status}`)
      const [name, instruction] = version === 'v0.8' ? ['Settled', 'settle_launch'] : ['Completed', 'complete_launch']
      instruct(name!, instruction!, tx => {
        if (version === 'v0.8') baseVault.amount = mint.supply = SALE + AMM + EXTERNAL + additional
        const toPool = raise / 5n
        dao = createDaoNow(tx)
        dao.provideLiquidity(toPool, AMM)
        treasury = {
          base: createTokenAccount(chain.accounts, addresses.daoVault, mint),
          quote: createTokenAccount(chain.accounts, addresses.daoVault, quote, raise - toPool)
        }
        pool = createPool(chain, addresses, mint, quote, raise, treasury)
        baseVault.amount -= AMM + EXTERNAL
        quoteVault.amount = 0n
        mint.mintAuthority = version === 'v0.8' ? addresses.governor : addresses.daoVault
        state.closed = state.completed = tx.time
        state.status = 'complete'
        state.dao = addresses.dao
        state.daoVault = addresses.daoVault
        if (version !== 'v0.7') createPackageNow()
      })
      host.adopt(dao!)
      return dao!
    },

    /** v0.7 only: until then the team's tokens lie in the launch's own vault. */
    initializePackage (): void {
      if (version !== 'v0.7' || state.status !== 'complete' || state.packageInitialized) {
        throw new RangeError('there is no package to initialize')
      }
      instruct('PerformancePackageInitialized', 'initialize_performance_package', createPackageNow)
    },

    /** The next tranches' price was reached. */
    unlock: (tranches: number): bigint => requirePackage().unlock(tranches),

    burnPackage: (): bigint => requirePackage().burn(),

    /** Buyers fetch tokens from the launch's vault. */
    claim (amount: bigint): void {
      baseVault.amount -= amount
      createTokenAccount(chain.accounts, chain.newAddress(), mint, amount)
    },

    claimAdditional (): void {
      if (state.additionalRecipient === null || state.additionalClaimed) {
        throw new RangeError('nothing additional to claim')
      }
      state.additionalClaimed = true
      baseVault.amount -= additional
      createTokenAccount(chain.accounts, state.additionalRecipient, mint, additional)
      entry.touch()
    }
  }
}
