/**
 * What a DAO does besides trading and deciding: liquidity, fees, settings. Spot state only, where the program says so.
 */
import { ADMIN, FEE_VAULT, PROGRAMS, ata, derive } from './addresses.js'
import { Writer, keyBytes } from './bytes.js'
import { type OpenTransaction } from './chain.js'
import { type DaoCore, transfer } from './dao.js'
import * as events from './events.js'
import { writeAmmPosition } from './layouts.js'
import { partOf } from './pool.js'

export function createTreasury (core: DaoCore, creator: string, positionAddress: string) {
  const { chain, identity, state, vaults, instruct } = core
  const { address, vault, baseVault, quoteVault, baseMint, quoteMint } = identity
  const authorised = [address, vault, baseVault, quoteVault, PROGRAMS.token]

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

  /** Tokens of both vaults to somebody's own accounts. */
  function payingOut (to: string, base: bigint, quote: bigint) {
    const targets = { base: ata(to, baseMint), quote: ata(to, quoteMint) }
    return {
      targets,
      inner: [transfer(baseVault, targets.base, address, base), transfer(quoteVault, targets.quote, address, quote)]
    }
  }

  return {
    /**
     * What a position in an external pool has earned, of the DAO's own tokens unless told otherwise
     * (`collect_meteora_damm_fees.rs`).
     */
    collectExternalFees (quote: bigint, base: bigint, mints = { base: baseMint, quote: quoteMint }) {
      const pool = derive(PROGRAMS.damm, 'pool', keyBytes(mints.base), keyBytes(mints.quote)).address
      const event = (context: events.EventContext) =>
        events.collectMeteoraDammFeesEvent(context, pool, mints, quote, base)
      return core.act({ payer: ADMIN }, tx => ({
        ...instruct(tx, 'CollectMeteoraDammFees', [address, ADMIN, pool, PROGRAMS.token], event), quote, base
      }))
    },

    /** Sends both fee balances to the protocol's vault; 0 and 0 are collected too. */
    collectFees () {
      return core.act({ payer: ADMIN }, tx => {
        requireSpot()
        const { spot } = state.pools
        const { baseFees: base, quoteFees: quote } = spot
        spot.baseFees = spot.quoteFees = 0n
        vaults.base.amount -= base
        vaults.quote.amount -= quote
        const { targets, inner } = payingOut(FEE_VAULT, base, quote)
        const accounts = [address, ADMIN, targets.base, targets.quote, baseVault, quoteVault, PROGRAMS.token]
        const event = (context: events.EventContext) =>
          events.collectFeesEvent(context, targets.base, targets.quote, quote, base)
        return { base, quote, ...instruct(tx, 'CollectFees', accounts, event, { inner }) }
      })
    },

    /** The first deposit sets the price, so it needs `baseAmount` too; later ones follow it, base rounded up. */
    provideLiquidity (quoteAmount: bigint, baseAmount?: bigint) {
      return core.act({ payer: creator }, tx => {
        requireSpot()
        const { spot } = state.pools
        const first = state.totalLiquidity === 0n
        if (first && baseAmount === undefined) throw new RangeError('the first deposit needs a base amount')
        const baseIn = first ? baseAmount! : (quoteAmount * spot.base + spot.quote - 1n) / spot.quote
        const minted = first ? quoteAmount * 10n ** 9n : quoteAmount * state.totalLiquidity / spot.quote
        move(baseIn, quoteAmount)
        state.totalLiquidity += minted
        if (first) {
          chain.accounts.put(
            positionAddress, chain.program, () => writeAmmPosition(address, vault, state.totalLiquidity)
          )
        } else chain.accounts.get(positionAddress)?.touch()
        const args = new Writer(64).u64(quoteAmount).u64(baseIn).u128(0n).key(vault).buffer
        instruct(
          tx, 'ProvideLiquidity', [...authorised, positionAddress],
          context => events.provideLiquidityEvent(context, creator, vault, quoteAmount, baseIn, minted), { args }
        )
        return { base: baseIn, quote: quoteAmount }
      })
    },

    /** Takes out a fraction (0 to 1, six decimals count) of all liquidity. */
    withdrawLiquidity (fraction: number) {
      return core.act({ payer: creator }, tx => {
        requireSpot()
        const liquidity = partOf(state.totalLiquidity, fraction)
        const { spot } = state.pools
        const [base, quote] = [
          liquidity * spot.base / state.totalLiquidity, liquidity * spot.quote / state.totalLiquidity
        ]
        move(-base, -quote)
        state.totalLiquidity -= liquidity
        chain.accounts.get(positionAddress)?.touch()
        const args = new Writer(32).u128(liquidity).u64(0n).u64(0n).buffer
        instruct(
          tx, 'WithdrawLiquidity', authorised,
          context => events.withdrawLiquidityEvent(context, vault, liquidity, base, quote), { args }
        )
        return { base, quote }
      })
    },

    /** Changes a setting: the threshold that a proposal must pass. */
    updateDao () {
      return core.act({ payer: creator }, tx => {
        state.config.passThresholdBps++
        return instruct(tx, 'UpdateDao', [address, vault], events.updateDaoEvent)
      })
    },

    /** An event of a later build: it takes a sequence number like any other. */
    unknownEvent ({ event = {} }: { event?: events.UnknownEventOptions } = {}) {
      return core.act({ payer: creator }, tx => {
        move(event.moves?.base ?? 0n, event.moves?.quote ?? 0n)
        const make = (context: events.EventContext) => events.unknownEvent(context, event)
        return instruct(tx, 'LaterBuild', [address], make)
      })
    },

    /** Of the next release: a decided liquidation takes everything out of the pool, without a swap. */
    applyLiquidation () {
      const liquidator = chain.traders[1]!
      return core.act({ payer: liquidator }, tx => {
        requireSpot()
        const { base, quote } = state.pools.spot
        move(-base, -quote)
        state.totalLiquidity = 0n
        const { address: proposal } = derive(chain.program, 'proposal', keyBytes(address))
        instruct(
          tx, 'ApplyLiquidation', [address, liquidator, baseVault, quoteVault, PROGRAMS.token],
          context => events.applyLiquidationEvent(context, proposal, liquidator, base, quote),
          { inner: payingOut(liquidator, base, quote).inner }
        )
        return { base, quote }
      })
    },

    /** The first event, number 1. */
    initialize (tx: OpenTransaction): void {
      instruct(
        tx, 'InitializeDao',
        [address, creator, identity.multisig, vault, baseMint, quoteMint, baseVault, quoteVault],
        events.initializeDaoEvent
      )
    }
  }
}
