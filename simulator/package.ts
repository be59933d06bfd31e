/** The team's tokens of a launch: five tranches at 2, 4, 8, 16 and 32 times the launch price. */
import { PROGRAMS } from './addresses.js'
import { type Chain } from './chain.js'
import { type PackageState, writePackageV2, writePricePackage } from './launch-layouts.js'
import { type Mint, type TokenAccount, createTokenAccount } from './mint.js'

export interface PackageOptions {
  /** v0.6 and v0.7 lock the tokens in a vault; v0.8 mints them when they are earned. */
  kind: 'locked' | 'minted'
  /** Launch price: quote units per base unit × 10^12. */
  price: bigint
  amount: bigint
  mint: Mint
  fixed: Omit<PackageState, 'tranches' | 'total' | 'unlocked' | 'seq' | 'mint'>
}

export type TeamPackage = ReturnType<typeof createPackage>

export function createPackage (chain: Chain, { kind, price, amount, mint, fixed }: PackageOptions) {
  const state: PackageState = {
    ...fixed,
    mint: mint.address,
    tranches: [2n, 4n, 8n, 16n, 32n].map(times => ({ threshold: price * times, amount: amount / 5n, unlocked: false })),
    total: amount,
    unlocked: 0n,
    seq: 0n
  }
  const entry = chain.accounts.put(fixed.address, kind === 'locked' ? PROGRAMS.pricePackage : PROGRAMS.packageV2,
    () => kind === 'locked' ? writePricePackage(state) : writePackageV2(state))
  const vault: TokenAccount | null = kind === 'locked'
    ? createTokenAccount(chain.accounts, fixed.address, mint, amount)
    : null
  const recipient = createTokenAccount(chain.accounts, fixed.recipient, mint)

  return {
    state: state as Readonly<PackageState>,
    /** What is locked, raw units. */
    get locked () { return vault === null ? 0n : vault.amount },

    /** Unlocks the next tranches: locked tokens move to the recipient, others are minted. */
    unlock (tranches: number): bigint {
      let amountOut = 0n
      for (const tranche of state.tranches.filter(({ unlocked }) => !unlocked).slice(0, tranches)) {
        tranche.unlocked = true
        amountOut += tranche.amount
      }
      state.unlocked += amountOut
      state.seq++
      if (vault === null) mint.supply += amountOut
      else vault.amount -= amountOut
      recipient.amount += amountOut
      entry.touch()
      return amountOut
    },

    /** Burns what is locked and ends the accounts: the supply falls. */
    burn (): bigint {
      const burned = vault?.amount ?? 0n
      mint.supply -= burned
      vault?.close()
      chain.accounts.remove(fixed.address)
      return burned
    }
  }
}
