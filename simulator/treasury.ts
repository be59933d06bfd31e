/**
 * What a DAO does besides trading and deciding: liquidity, fees, settings. Spot state only, where the program says so.
 */
import { ADMIN, FEE_VAULT, PROGRAMS, ata, derive } from './addresses.js'
import { Writer, discriminator, keyBytes } from './bytes.js'
import { type OpenTransaction } from './chain.js'
import { type DaoCore, transferData } from './dao.js'
import * as events from './events.js'
import { type DaoConfig, writeAmmPosition } from './layouts.js'
import { type TransactionOptions } from './transactions.js'

export function createTreasury (core: DaoCore, creator: string, positionAddress: string) {
  const { chain, identity, state, vaults } = core
  const { address } = identity
  const authorised = [address, identity.vault, identity.baseVault, identity.quoteVault, PROGRAMS.token]

  function withdraw (liquidity: bigint, tx: OpenTransaction) {
    const { spot } = state.pools
    const [baseOut, quoteOut] = [
      liquidity * spot.base / state.totalLiquidity, liquidity * spot.quote / state.totalLiquidity
    ]
    spot.base -= baseOut
    spot.quote -= quoteOut
    state.totalLiquidity -= liquidity
    vaults.base.amount -= baseOut
    vaults.quote.amount -= quoteOut
    state.seq++
    chain.accounts.get(positionAddress)?.touch()
    const data = new Writer(40).bytes(
      discriminator('global', 'withdraw_liquidity')
    ).u128(liquidity).u64(0n).u64(0n).buffer
    core.instruct(
      tx,
      'WithdrawLiquidity',
      authorised,
      data,
      [],
      events.withdrawLiquidityEvent(core.context(tx), identity.vault, liquidity, baseOut, quoteOut)
    )
    return { liquidity, base: baseOut, quote: quoteOut, seq: state.seq, signature: tx.signature }
  }

  /** Into the spot pool and the vaults behind it; below 0: out of them. */
  function move (base: bigint, quote: bigint): void {
    const { spot } = state.pools
    spot.base += base
    spot.quote += quote
    vaults.base.amount += base
    vaults.quote.amount += quote
  }

  function requireSpot (): void {
    if (state.pools.pass !== null) throw new RangeError('PoolNotInSpotState')
  }

  return {
    /**
     * What a position in an external pool has earned, of the DAO's own tokens unless told otherwise
     * (`collect_meteora_damm_fees.rs`).
     */
    collectExternalFees (quote: bigint, base: bigint, mints = { base: identity.baseMint, quote: identity.quoteMint }) {
      return core.act({ payer: ADMIN }, tx => {
        state.seq++
        const pool = derive(PROGRAMS.damm, 'pool', keyBytes(mints.base), keyBytes(mints.quote)).address
        core.instruct(tx, 'CollectMeteoraDammFees', [address, ADMIN, pool, PROGRAMS.token], discriminator(
          'global', 'collect_meteora_damm_fees'
        ), [],
        events.collectMeteoraDammFeesEvent(core.context(tx), pool, mints, quote, base))
        return { quote, base, seq: state.seq, signature: tx.signature, time: tx.time }
      })
    },

    /** Sends both fee balances to the protocol's vault; 0 and 0 are collected too. */
    collectFees (actionOptions: TransactionOptions = {}) {
      return core.act({ payer: ADMIN, ...actionOptions }, tx => {
        requireSpot()
        const { spot } = state.pools
        const collected = { base: spot.baseFees, quote: spot.quoteFees }
        spot.baseFees = spot.quoteFees = 0n
        vaults.base.amount -= collected.base
        vaults.quote.amount -= collected.quote
        state.seq++
        const targets = { base: ata(FEE_VAULT, identity.baseMint), quote: ata(FEE_VAULT, identity.quoteMint) }
        core.instruct(tx, 'CollectFees', [
          address, ADMIN, targets.base, targets.quote, identity.baseVault, identity.quoteVault, PROGRAMS.token
        ],
        discriminator('global', 'collect_fees'), [
          {
            program: PROGRAMS.token,
            accounts: [identity.baseVault, targets.base, address],
            height: 2,
            data: transferData(collected.base)
          },
          {
            program: PROGRAMS.token,
            accounts: [identity.quoteVault, targets.quote, address],
            height: 2,
            data: transferData(collected.quote)
          }
        ], events.collectFeesEvent(core.context(tx), targets.base, targets.quote, collected.quote, collected.base))
        return { ...collected, seq: state.seq, signature: tx.signature, time: tx.time }
      })
    },

    /** The first deposit sets the price, so it needs `baseAmount` too; later ones follow it, base rounded up. */
    provideLiquidity (quoteAmount: bigint, baseAmount?: bigint, actionOptions: TransactionOptions = {}) {
      return core.act({ payer: creator, ...actionOptions }, tx => {
        requireSpot()
        const { spot } = state.pools
        const first = state.totalLiquidity === 0n
        if (first && baseAmount === undefined) throw new RangeError('the first deposit needs a base amount')
        const baseIn = first ? baseAmount! : (quoteAmount * spot.base + spot.quote - 1n) / spot.quote
        const minted = first ? quoteAmount * 10n ** 9n : quoteAmount * state.totalLiquidity / spot.quote
        spot.quote += quoteAmount
        spot.base += baseIn
        state.totalLiquidity += minted
        vaults.base.amount += baseIn
        vaults.quote.amount += quoteAmount
        state.seq++
        if (first) {
          chain.accounts.put(
            positionAddress, chain.program, () => writeAmmPosition(address, identity.vault, state.totalLiquidity)
          )
        } else chain.accounts.get(positionAddress)?.touch()
        const data = new Writer(72).bytes(
          discriminator('global', 'provide_liquidity')
        ).u64(quoteAmount).u64(baseIn).u128(0n).key(identity.vault).done()
        core.instruct(tx, 'ProvideLiquidity', [...authorised, positionAddress], data, [],
          events.provideLiquidityEvent(core.context(tx), creator, identity.vault, quoteAmount, baseIn, minted))
        return { base: baseIn, quote: quoteAmount, liquidity: minted, seq: state.seq, signature: tx.signature }
      })
    },

    /** Takes out a fraction (0 to 1, six decimals count) of all liquidity. */
    withdrawLiquidity (fraction: number, actionOptions: TransactionOptions = {}) {
      return core.act({ payer: creator, ...actionOptions }, tx => {
        requireSpot()
        return withdraw(state.totalLiquidity * BigInt(Math.round(fraction * 1e6)) / 1_000_000n, tx)
      })
    },

    updateDao (
      change: Partial<DaoConfig> = { passThresholdBps: state.config.passThresholdBps + 1 },
      actionOptions: TransactionOptions = {}
    ) {
      return core.act({ payer: creator, ...actionOptions }, tx => {
        Object.assign(state.config, change)
        state.seq++
        core.instruct(
          tx,
          'UpdateDao',
          [address, identity.vault],
          discriminator('global', 'update_dao'),
          [],
          events.updateDaoEvent(core.context(tx))
        )
        return { seq: state.seq, signature: tx.signature }
      })
    },

    /** An event of a later build: it takes a sequence number like any other. */
    unknownEvent (actionOptions: TransactionOptions & { event?: events.UnknownEventOptions } = {}) {
      return core.act({ payer: creator, ...actionOptions }, tx => {
        const { bare = false, moves = { base: 0n, quote: 0n } } = actionOptions.event ?? {}
        if (!bare) state.seq++
        move(moves.base, moves.quote)
        core.instruct(
          tx,
          'SomethingOfALaterBuild',
          [address],
          discriminator('global', 'later_build'),
          [],
          events.unknownEvent(core.context(tx), actionOptions.event)
        )
        return { seq: state.seq, signature: tx.signature }
      })
    },

    /** Of the next release: a decided liquidation takes everything out of the pool, without a swap. */
    applyLiquidation (actionOptions: TransactionOptions = {}) {
      const liquidator = actionOptions.payer ?? chain.traders[1]!
      return core.act({ payer: liquidator, ...actionOptions }, tx => {
        requireSpot()
        const { base, quote } = state.pools.spot
        const targets = { base: ata(liquidator, identity.baseMint), quote: ata(liquidator, identity.quoteMint) }
        move(-base, -quote)
        state.totalLiquidity = 0n
        state.seq++
        core.instruct(tx, 'ApplyLiquidation', [
          address, liquidator, identity.baseVault, identity.quoteVault, PROGRAMS.token
        ],
        discriminator('global', 'apply_liquidation'), [
          {
            program: PROGRAMS.token,
            accounts: [identity.baseVault, targets.base, address],
            height: 2,
            data: transferData(base)
          },
          {
            program: PROGRAMS.token,
            accounts: [identity.quoteVault, targets.quote, address],
            height: 2,
            data: transferData(quote)
          }
        ], events.applyLiquidationEvent(
          core.context(tx), derive(chain.program, 'proposal', keyBytes(address)).address, liquidator, base, quote
        ))
        return { base, quote, seq: state.seq, signature: tx.signature }
      })
    },

    /** The first event, number 1. */
    initialize (tx: OpenTransaction): void {
      state.seq = 1
      core.instruct(tx, 'InitializeDao', [
        address, creator, identity.multisig, identity.vault, identity.baseMint, identity.quoteMint, identity.baseVault,
        identity.quoteVault
      ],
      discriminator('global', 'initialize_dao'), [], events.initializeDaoEvent(core.context(tx)))
    }
  }
}
