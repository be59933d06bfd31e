/** What `npm run verify` makes again beyond trades: the DAO's supply and what it owns, its liquidity by day, quotes. */
import { PublicKey } from '@solana/web3.js'
import bs58 from 'bs58'
import { amount, fraction, price, shortest, signed, text } from '../checks/decimal.js'
import { feeOf, inputOf, priceOf, quoteFigures } from '../checks/swaps.js'
import { type Chain, dateOf, DAY, type Group, group, type Json, type Served, type Word, type Worth } from './compare.js'
import { type Past, type Pool, poolAt, readPast, type State, stateAt, stateOfDao } from './chain.js'
import type { Account, Node } from './node.js'

/** Of accounts that are neither the pool's nor the vault's. */
const LAUNCHED = ['team_package', 'launch_vault', 'bid_wall']
const inVault = ({ base, baseFees }: State): bigint => base + baseFees
const [OWNER, AMOUNT, LIQUIDITY] = [32, 64, 72]
/** Below, a fee does not tell its rate. */
const LEAST_INPUT = 1_000_000n

/** What a token account holds, and whose it is; of a pool's vault, what came since the DAO's record if that is told. */
interface Held { mint: string, owner: string, amount: bigint, kind?: 'treasury' | 'internal_pool', since?: bigint }

/** Token accounts by their addresses, and the liquidity of the DAO's own position. */
export interface Holdings { held: Map<string, Held>, liquidity: bigint }

const heldIn = ({ data }: Account): Held => {
  const key = (at: number): string => bs58.encode(data.subarray(at, at + 32))
  return { mint: key(0), owner: key(OWNER), amount: data.readBigUInt64LE(AMOUNT) }
}

/** `past` is of `pool`; of other pools of the token it is read since a Unix second. */
export async function readHoldings (
  node: Node, pool: Pool, past: Past, since: number, dao: Json
): Promise<Holdings> {
  const { program, address, vault } = pool
  const held: Holdings['held'] = new Map()
  for (const row of [...dao?.treasury?.tokens ?? [], ...dao?.supply?.allocation ?? []]) {
    const of = String(row.address)
    const found = await node.account(of)
    if (found === undefined || found.data.length < AMOUNT + 8) continue
    const { owner } = heldIn(found)
    held.set(of, { ...heldIn(found), ...owner === vault && { kind: 'treasury' } })
    // both of one moment: trades go on while all this is read
    const [account, holder] = await node.accounts(of, owner)
    if (account === undefined || holder?.owner !== program) continue
    const state = stateOfDao(holder)
    const before = owner === address
      ? stateAt(pool, past, Number(dao.slot))
      : stateAt({ state }, await readPast(node, await poolAt(node, owner), since), Number(dao.slot))
    // while a proposal is live, the reserves move without the vaults
    const isTold = before?.seq === state.seq || (before !== undefined && !before.isLive && !state.isLive)
    held.set(of, {
      ...heldIn(account), kind: 'internal_pool', ...isTold && { since: inVault(state) - inVault(before!) }
    })
  }
  const [position] = PublicKey.findProgramAddressSync(
    [Buffer.from('amm_position'), new PublicKey(address).toBuffer(), new PublicKey(vault).toBuffer()],
    new PublicKey(program)
  )
  const data = (await node.account(position.toBase58()))?.data
  return {
    held,
    liquidity: data === undefined
      ? 0n
      : data.readBigUInt64LE(LIQUIDITY) + (data.readBigUInt64LE(LIQUIDITY + 8) << 64n)
  }
}

/**
 * The DAO's record: what it is, its supply, and what its vault and its position hold. What a launch says of a supply,
 * and of a position elsewhere, is taken as told.
 */
export function daoOf (
  { dao, detail }: Served, { pool, past, holdings: { held, liquidity } }: Chain, word: Word
): Group {
  const own = group('the DAO, its supply and what it owns')
  const { base, quote, limit } = pool
  const { supply, treasury, slot } = dao ?? {}
  const state = stateAt(pool, past, Number(slot))
  own.fields('', dao, {
    dao: pool.address,
    name: base.name,
    symbol: base.symbol,
    base_mint: base.mint,
    quote_mint: quote.mint,
    startDate: dateOf(pool.createdAt),
    multisig: pool.multisig
  })
  own.fields('supply', supply, {
    mint: base.mint,
    totalSupply: amount(base.supply, base.decimals),
    rawTotalSupply: String(base.supply),
    decimals: base.decimals,
    mint_authority: base.authority,
    max_supply: base.authority === null ? amount(base.supply, base.decimals) : null
  })
  const raw = (text: Json, { unit }: { unit: bigint }): bigint => {
    const { n, d } = fraction(String(text))
    return n * unit / d
  }
  const parts = new Map<string, bigint>()
  for (const { kind, address, amount: told, circulating } of supply?.allocation ?? []) {
    if (kind === 'external_pool') continue
    parts.set(address, (parts.get(address) ?? 0n) + raw(told, base))
    const at = held.get(address)
    const kinds = at?.kind === undefined ? LAUNCHED : [at.kind]
    own.holds(`allocation ${address}`, kind, at?.mint === base.mint && kinds.includes(kind), kinds.join(' or '))
    own.holds(`allocation ${address}`, circulating, LAUNCHED.includes(kind) || circulating, 'circulating')
  }
  for (const [address, told] of parts) {
    const { kind, amount, since = 0n } = held.get(address) ?? {}
    if (kind === 'internal_pool' && held.get(address)?.since === undefined) continue
    own.field(`allocation ${address}`, String(told), String(amount && amount - since))
  }
  own.fields('treasury', treasury, { dao: pool.address, symbol: base.symbol, slot })
  for (const told of [treasury, detail]) own.field('treasury_vault_address', told?.treasury_vault_address, pool.vault)
  let [dollars, tokens, isAll] = [{ n: 0n, d: 1n }, 0n, treasury?.tokens_complete === true]
  for (const row of treasury?.tokens ?? []) {
    const found = held.get(row.address)
    const { n, d } = fraction(String(row.amount))
    own.holds(`tokens ${row.address}`, row.mint, found?.owner === pool.vault && found?.mint === row.mint,
      `an account of the vault: ${found?.mint} of ${found?.owner}`)
    // decimals of a token that is not the pool's are the service's word, its digits are not
    own.holds(`tokens ${row.address}`, row.amount, n > 0n && found !== undefined && found.amount * d % n === 0n &&
      /^10*$/.test(String(found.amount * d / n)), `${found?.amount} raw units`)
    if (row.mint === base.mint) tokens += found?.amount ?? 0n
    else if (word.usdMints.includes(row.mint)) {
      dollars = { n: dollars.n * d + n * dollars.d, d: dollars.d * d }
      own.field(`tokens ${row.address}.usd`, row.usd, text(n, d, 2))
    } else if (!word.pricedBy.has(row.mint)) own.field(`tokens ${row.address}.usd`, row.usd, null)
    else isAll = false
  }
  own.field('own_tokens', treasury?.own_tokens, amount(tokens, base.decimals))
  own.field('treasury_usdc_aum', treasury?.treasury_usdc_aum, shortest(dollars.n, dollars.d, 8))
  for (const told of [treasury, dao?.decisions]) {
    own.field('spending_limit', told?.spending_limit, limit === null
      ? null
      : { amount_per_month: amount(limit.amount, quote.decimals), members: limit.members })
  }
  if (state === undefined) return own.found
  const share = (reserve: bigint): bigint => pool.liquidity === 0n ? 0n : liquidity * reserve / pool.liquidity
  const [ownBase, ownQuote] = [share(state.base), share(state.quote)]
  own.field('state', dao?.state, state.isLive ? 'futarchy' : 'spot')
  own.fields('internal_liquidity', treasury?.internal_liquidity, {
    base: amount(ownBase, base.decimals),
    quote: amount(ownQuote, quote.decimals),
    in_proposal: state.isLive
  })
  own.field('treasury.circulating_supply', treasury?.circulating_supply, supply?.circulatingSupply)
  if (!word.usdMints.includes(quote.mint)) return own.found
  const cost = { n: state.quote * base.unit, d: state.base * quote.unit }
  for (const told of [dao, treasury]) own.field('price_usd', told?.price_usd, price(cost.n, cost.d))
  const [circulating, external] = [raw(supply?.circulatingSupply, base), treasury?.external_liquidity]
  const cap = (supply: bigint): string => text(supply * state.quote, state.base * quote.unit, 2)
  own.fields('', dao, { market_cap_usd: cap(circulating), fdv_usd: cap(base.supply) })
  own.field('runway_months', treasury?.runway_months, limit === null || limit.amount === 0n
    ? null
    : text(dollars.n * quote.unit, dollars.d * limit.amount, 2))
  if (!isAll) return own.found
  const inPools = ownQuote + raw(external?.quote ?? '0', quote)
  const nav = { n: dollars.n * quote.unit + inPools * dollars.d, d: dollars.d * quote.unit }
  const outside = circulating - tokens - ownBase - raw(external?.base ?? '0', base)
  const each = outside > 0n ? { n: nav.n * base.unit, d: nav.d * outside } : undefined
  own.fields('treasury', treasury, {
    nav_usd: text(nav.n, nav.d, 2),
    nav_per_token: each === undefined ? null : each.n === 0n ? `0.${'0'.repeat(12)}` : price(each.n, each.d),
    premium: each !== undefined && each.n > 0n
      ? signed(cost.n * each.d - each.n * cost.d, cost.d * each.n, 4)
      : null
  })
  return own.found
}
/** Each day that ended since all was read ends with the pool's last state before. */
export function liquidityOf (
  { liquidity }: Served, { pool, past, since, time }: Chain, worth: Worth
): Group {
  const own = group('liquidity by day')
  const days: Json[] = liquidity?.dailyBreakdown ?? []
  if (worth === undefined) {
    own.field('dailyBreakdown', days, [])
    return own.found
  }
  const midnight = time - time % DAY
  for (let end = Math.ceil(since / DAY) * DAY; end <= midnight; end += DAY) {
    const state = past.states.findLast(({ at }) => at !== undefined && at < end)
    const date = dateOf(end - DAY)
    const row = days.find((one: Json) => one.date === date)
    // the last hour of a day may not be final everywhere, and a day without an event read says nothing
    if (state === undefined || (row === undefined && time - end < LATE)) continue
    const held = text(2n * state.quote * worth.n, worth.d, 2)
    own.fields(date, row, { date, liquidity: held, daos: 1, unknown: 0 })
    if (row === days[0]) {
      own.field('totalLiquidity', liquidity.totalLiquidity, held)
      own.fields('daos', liquidity.daos?.[0], {
        dao: pool.address, mint: pool.base.mint, symbol: pool.base.symbol, liquidity: held
      })
    }
  }
  return own.found
}
/** For so long after midnight a day may be missing, s. */
const LATE = 900

/** What is asked of quotes: a thousandth of the reserve, of each side. */
export const quotesAsked = ({ detail }: Pick<Served, 'detail'>): Array<{ side: string, amount: string }> =>
  (['buy', 'sell'] as const).map(side => {
    const which = side === 'buy' ? 'quote' : 'base'
    const raw = BigInt(detail?.provenance?.[`${which}_reserves`] ?? 0) / 1_000n
    return { side, amount: amount(raw > 0n ? raw : 1n, Number(detail?.[which]?.decimals ?? 0)) }
  })

export function quotedOf ({ quotes }: Served, { pool, past }: Chain, { takerFeeRate }: Word): Group {
  const own = group('quotes')
  const whole = fraction(takerFeeRate)
  const newest = past.swaps.findLast(swap => swap.fee !== undefined && inputOf(swap) > LEAST_INPUT)
  for (const { asked, quote } of quotes) {
    const state = stateAt(pool, past, Number(quote?.slot))
    if (state === undefined) continue
    const rate = fraction(String(quote.protocol_fee_rate))
    if (newest !== undefined) {
      const input = inputOf(newest)
      own.holds('protocol_fee_rate', quote.protocol_fee_rate, feeOf(input, rate) === newest.fee,
        `one by which ${newest.fee} of ${input} were charged`)
    }
    const lp = { n: whole.n * rate.d - rate.n * whole.d, d: whole.d * rate.d }
    own.fields(asked.side, quote, {
      ...quoteFigures(state, { isBuy: asked.side === 'buy', amount: asked.amount }, rate, lp, pool),
      pool_id: pool.address,
      side: asked.side,
      exact: !state.isLive,
      lp_fee_rate: shortest(lp.n, lp.d, 18),
      last_price: priceOf(state, pool)
    })
  }
  return own.found
}
