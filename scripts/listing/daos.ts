import { isDeepStrictEqual } from 'node:util'
import { add, compare, divide, multiply, ONE, powerOfTen, type Rational, ratio, subtract } from '../../lib/decimal.js'
import { dateOf, dayOf } from '../../lib/time.js'
import { amount } from '../checks/decimal.js'
import { candleOf, hasPrice, priceOf, quoteFigures } from '../checks/swaps.js'
import type { Checking } from './check.js'
import type { OwnPool } from './market.js'
import {
  ADDRESS, compareFields, decimal, isAbout, isExactly, isRow, isWithin, listOf, number, type Refuse, type Row, rowOf,
  same, shown, signed, sumOf
} from './rules.js'
import { checkComplete, checkSums } from './totals.js'

const CENT = powerOfTen(-2)
const HALF_CENT = ratio(5n, 1_000n)

const OF_POOL = [
  'last_price', 'liquidity_in_usd', 'startDate',
  ...['5m', '1h', '6h', '24h', '7d', '30d'].map(period => `price_change_${period}`)
]
const STATES = ['draft', 'live', 'passed', 'failed', 'removed']
/** Of a supply, the kinds of its allocation that make it up. */
const KINDS = [
  ['teamPerformancePackage', 'team_package'], ['protocolAmmLiquidity', 'internal_pool'],
  ['externalLpLiquidity', 'external_pool']
] as const

const PARTS = [...KINDS.map(([, kind]) => String(kind)), 'treasury', 'launch_vault', 'bid_wall']
/** Proposals of a DAO that are looked at one by one, the newest. */
const PROPOSALS = 3

/** Each DAO that is looked at, and the list of treasuries. */
export async function checkOwners (checking: Checking): Promise<void> {
  const { market, reader, refuse, doubt } = checking
  const rows = listOf(await reader.json('/api/treasuries'))
  for (const [at, row] of rows.entries()) {
    const [before, nav] = [rows[at - 1]?.nav_usd, decimal(row.nav_usd)]
    if (at > 0 && nav !== undefined && (before === null || compare(nav, number(before)) > 0)) {
      refuse(`/api/treasuries ${at}: not largest first`)
    }
    // no vault is listed for it
    if (row.tokens_complete !== false) refuse(`/api/treasuries ${at}: tokens_complete ${row.tokens_complete}`)
  }
  for (const pool of await market.lookedAt()) {
    const where = `/api/daos/${pool.id}`
    const record = await reader.json(where)
    if (!isRow(record) || !isRow(record.supply) || !isRow(record.treasury) || !isRow(record.decisions)) {
      refuse(`${where}: no record`)
      continue
    }
    await checkRecord(checking, where, pool, record)
    const treasury = rowOf(await reader.json(`${where}/treasury`))
    const { slot: _, ...others } = treasury
    compareWhole(`${where}/treasury`, others, 'the record', record.treasury, doubt)
    checkTreasury(checking, `${where}/treasury`, treasury, pool)
    // read again, as it is now
    const row = listOf(await reader.json('/api/treasuries')).find(({ dao }) => dao === pool.id)
    if (row === undefined) {
      doubt(`/api/treasuries: ${pool.id} is left out`)
      continue
    }
    const { tokens: __, ...own } = row
    checkTreasury(checking, `/api/treasuries ${pool.id}`, own, pool)
    // the list has what lies in associated accounts, the record all
    compareWhole(`/api/treasuries ${pool.id}`, Object.fromEntries(IN_LIST.map(key => [key, row[key]!])), 'the record',
      record.treasury, doubt)
    for (const key of ['own_tokens', 'treasury_usdc_aum']) {
      if (compare(number(row[key]), number(record.treasury[key])) > 0) {
        doubt(`/api/treasuries ${pool.id}: ${key} ${row[key]} is more than all that the vault holds`)
      }
    }
  }
}
const IN_LIST = ['symbol', 'treasury_vault_address', 'internal_liquidity', 'external_liquidity', 'circulating_supply',
  'price_usd', 'spending_limit']

/** All fields of an answer to the letter as another has them. */
const compareWhole = (where: string, row: Row, source: string, other: Row, tell: Refuse): void =>
  compareFields(where, row, source, other, tell, Object.keys(row), isDeepStrictEqual)

async function checkRecord (checking: Checking, where: string, pool: OwnPool, record: Row): Promise<void> {
  const { market, reader, refuse, doubt } = checking
  const { base, quote } = pool
  // read again: a pool that is traded moves between two answers
  const row = rowOf(await reader.json(`/api/pools/${pool.id}`))
  const [supply, treasury, decisions] = [record.supply, record.treasury, record.decisions].map(rowOf) as [Row, Row, Row]
  compareFields(where, record, '/api/pools', row, doubt, OF_POOL)
  compareFields(where, record, '/api/pools', {
    dao: pool.id,
    name: base.name,
    symbol: base.symbol,
    base_mint: base.mint,
    quote_mint: quote.mint,
    listed: true,
    reason: null,
    state: row.state === 'proposal' ? 'futarchy' : 'spot'
  }, doubt)
  // the list tells some of the deepest alone
  const also = ['created_at', 'market_cap_usd', 'fdv_usd'].filter(key => row[key] !== null)
  compareFields(where, record, '/api/pools', row, doubt, also)
  compareFields(where, treasury, '/api/pools', row, doubt, ['treasury_vault_address'])
  compareFields(where, treasury, 'itself', record, refuse, ['dao', 'symbol', 'slot', 'price_usd'])
  compareFields(where, treasury, 'itself', supply, refuse, [['circulating_supply', 'circulatingSupply']])
  const told = rowOf(await reader.json(`/api/supply/${base.mint}`)).data
  if (isRow(told)) compareFields(`${where} supply`, supply, '/api/supply', told, doubt)
  if (supply.mint_authority === null ? !same(supply.max_supply, supply.totalSupply) : supply.max_supply !== null) {
    refuse(`${where}: max_supply ${supply.max_supply} with ${supply.mint_authority} to mint`)
  }
  const allocation = listOf(supply.allocation)
  const of = (wanted: string): Rational => sumOf(allocation.filter(({ kind }) => kind === wanted), 'amount')
  for (const [name, kind] of KINDS) {
    if (!isExactly(supply[name], of(kind))) doubt(`${where}: ${name} is not what the allocation has`)
  }
  if (!isExactly(treasury.own_tokens, of('treasury'))) refuse(`${where}: own_tokens are not the treasury's`)
  if (allocation.some(({ kind, circulating, address }) => !ADDRESS.test(String(address)) ||
    !PARTS.includes(String(kind)) ||
    ((record.launch !== null || kind !== 'launch_vault') && circulating !== (kind !== 'team_package')))) {
    refuse(`${where}: a part of the supply is none`)
  }
  const vault = rowOf((await market.provenance(pool.id)).accounts).base_vault
  if (of('internal_pool').n > 0n && !allocation.some(({ address }) => address === vault)) {
    refuse(`${where}: the base vault is no part of the supply`)
  }
  checkTreasury(checking, where, treasury, pool)
  for (const [name, whole] of [['market_cap_usd', 'circulatingSupply'], ['fdv_usd', 'totalSupply']] as const) {
    const price = decimal(record.price_usd)
    if (!isAbout(decimal(record[name]), price && multiply(price, number(supply[whole])), 11)) {
      refuse(`${where}: ${name} ${record[name]} is not supply × price`)
    }
  }
  await checkExtremes(checking, where, pool, record)
  const counts = rowOf(decisions.proposals)
  if (STATES.reduce((sum, state) => sum + Number(counts[state]), 0) !== counts.total) {
    refuse(`${where}: proposals are not their parts`)
  }
  compareWhole(where, { spending_limit: decisions.spending_limit! }, 'the treasury', treasury, refuse)
  if (record.launch !== null && !isRow(record.launch)) refuse(`${where}: launch ${record.launch}`)
  const proposals = listOf(await reader.json(`/api/proposals?dao=${pool.id}&limit=1000`))
  for (const state of STATES) {
    const count = proposals.filter(row => row.state === (state === 'live' ? 'pending' : state)).length
    if (counts[state] !== count) doubt(`${where}: ${state} proposals ${counts[state]}, the list has ${count}`)
  }
  for (const row of proposals.slice(0, PROPOSALS)) {
    const path = `/api/proposals/${row.proposal}`
    const own = rowOf(await reader.json(path))
    compareWhole(`/api/proposals?dao=${pool.id} ${row.proposal}`, row, path, own, doubt)
  }
  if (isRow(decisions.live)) await checkLive(checking, where, decisions.live)
  else if (decisions.live !== null || counts.live !== 0) doubt(`${where}: live ${shown(decisions.live)}`)
}

/** Sums and quotients of what is told beside them. */
function checkTreasury ({ refuse, doubt }: Checking, where: string, row: Row, pool: OwnPool): void {
  const [internal, external] = [rowOf(row.internal_liquidity), rowOf(row.external_liquidity)]
  if (row.external_liquidity !== null && !isRow(row.external_liquidity)) {
    refuse(`${where}: external_liquidity ${shown(row.external_liquidity)}`)
  }
  if (internal.in_proposal !== (pool.pool.state === 'proposal')) {
    doubt(`${where}: in_proposal ${internal.in_proposal} of a pool in ${pool.pool.state}`)
  }
  const [nav, each, price] = [decimal(row.nav_usd), decimal(row.nav_per_token), decimal(row.price_usd)]
  const tokens = Array.isArray(row.tokens) ? listOf(row.tokens) : undefined
  const dollars = decimal(row.treasury_usdc_aum)
  if (dollars === undefined) return refuse(`${where}: treasury_usdc_aum ${row.treasury_usdc_aum}`)
  if (tokens !== undefined) {
    const isDollars = ({ amount, usd }: Row): boolean => usd !== null && isWithin(number(usd), number(amount), CENT)
    if (!isExactly(row.treasury_usdc_aum, sumOf(tokens.filter(isDollars), 'amount'))) {
      refuse(`${where}: treasury_usdc_aum is not the dollars among its tokens`)
    }
    const own = sumOf(tokens.filter(({ mint }) => mint === pool.base.mint), 'amount')
    if (!isExactly(row.own_tokens, own)) refuse(`${where}: own_tokens are not among its tokens`)
  }
  if (nav === undefined || price === undefined) return
  const worth = divide(price, number(pool.pool.last_price))
  // in a quote token of one dollar; what else is worth something is told in the list of tokens alone
  const isDollar = isWithin(worth, ONE, CENT)
  const limit = number(rowOf(row.spending_limit).amount_per_month)
  if (isDollar && (limit.n === 0n
    ? row.runway_months !== null
    : !isWithin(number(row.runway_months), divide(dollars, limit), HALF_CENT))) {
    refuse(`${where}: runway_months ${row.runway_months} is not dollars ÷ limit`)
  }
  const valued = tokens?.filter(({ mint, usd }) => mint !== pool.base.mint && usd !== null)
  const inPools = add(number(internal.quote), number(external.quote))
  if (valued !== undefined && isDollar &&
    !isWithin(nav, add(sumOf(valued, 'usd'), inPools), multiply(CENT, ratio(BigInt(valued.length + 1))))) {
    refuse(`${where}: nav_usd ${row.nav_usd} is not the sum of its parts`)
  }
  const ownBase = add(number(internal.base), number(external.base))
  const outside = subtract(number(row.circulating_supply), add(number(row.own_tokens), ownBase))
  if (each === undefined ? outside.n > 0n : !isAbout(multiply(each, outside), nav, 10)) {
    refuse(`${where}: nav_per_token ${row.nav_per_token} is not NAV ÷ what is outside`)
  }
  const premium = signed(row.premium)
  const expected = each === undefined || each.n === 0n ? undefined : subtract(divide(price, each), ONE)
  const isSame = premium === undefined || expected === undefined
    ? row.premium === null && expected === undefined
    // of dust it is of more digits than the NAV per token has
    : isWithin(premium, expected, add(powerOfTen(-4), multiply(add(expected, ONE), powerOfTen(-10))))
  if (!isSame) refuse(`${where}: premium ${shown(row.premium)} is not price ÷ NAV per token − 1`)
}

/** Highest and lowest price, where all trades have been read. */
async function checkExtremes ({ market, doubt }: Checking, where: string, pool: OwnPool, record: Row): Promise<void> {
  const { trades, reach } = await market.trades(pool)
  const { high, low } = candleOf(trades, pool)
  if (reach !== -Infinity || high === null) return
  const priced = trades.filter(hasPrice).map(trade => `${priceOf(trade, pool)} ${dateOf(dayOf(trade.at))}`)
  for (const [name, extreme] of [['ath', high], ['atl', low]] as const) {
    const { price, at } = rowOf(record[name])
    if (price !== extreme || !priced.includes(`${price} ${at}`)) {
      doubt(`${where}: ${name} ${shown(record[name])} is not that of its trades`)
    }
  }
}

/** A live proposal as its own record has it, and as what it compares says. */
async function checkLive ({ reader, doubt, refuse }: Checking, where: string, live: Row): Promise<void> {
  const path = `/api/proposals/${live.proposal}`
  const own = await reader.json(path)
  if (!isRow(own)) return doubt(`${where}: ${path} is none`)
  for (const row of [live, own]) {
    const { pass, fail, threshold, leads } = row
    const [passes, fails, least] = [rowOf(pass).twap, rowOf(fail).twap, threshold].map(decimal)
    const bps = Number(row.pass_threshold_bps)
    const wanted = fails && multiply(fails, ratio(10_000n + BigInt(bps), 10_000n))
    if (wanted !== undefined && (least === undefined || !isWithin(least, wanted, multiply(wanted, powerOfTen(-9))))) {
      refuse(`${where}: threshold ${threshold} is not ${bps} bps above ${rowOf(fail).twap}`)
    }
    if (passes !== undefined && least !== undefined && leads !== (compare(passes, least) > 0 ? 'pass' : 'fail')) {
      refuse(`${where}: ${leads} leads with ${rowOf(pass).twap} and ${threshold}`)
    }
  }
  // of two moments the averages differ
  const { pass, fail, spot_price: spot, leads, threshold, as_of: at, slot, ...rest } = live
  compareWhole(where, slot === own.slot ? live : rest, path, own, doubt)
}

/** A quote of each side by the reserves of the pool's record. */
export async function checkQuotes ({ market, reader, doubt }: Checking): Promise<void> {
  for (const pool of await market.lookedAt()) {
    const detail = rowOf(await reader.json(`/api/pools/${pool.id}`))
    const { base_reserves: base, quote_reserves: quote, taker_fee_rate: rate } = rowOf(detail.provenance)
    const fee = decimal(rate)
    if (fee === undefined || !/^[1-9]\d*$/.test(String(base)) || !/^[1-9]\d*$/.test(String(quote))) continue
    const reserves = { base: BigInt(String(base)), quote: BigInt(String(quote)) }
    for (const side of ['buy', 'sell'] as const) {
      const isBuy = side === 'buy'
      const [into, paid] = isBuy ? [reserves.quote, pool.quote] : [reserves.base, pool.base]
      if (into < 1_000n) continue
      const asked = { isBuy, amount: amount(into / 1_000n, paid.decimals) }
      const path = `/api/pools/${pool.id}/quote?side=${side}&amount=${asked.amount}`
      const told = rowOf(await reader.json(path))
      const [protocol, lp] = [decimal(told.protocol_fee_rate), decimal(told.lp_fee_rate)]
      if (protocol === undefined || lp === undefined || compare(add(protocol, lp), fee) !== 0) {
        doubt(`${path}: protocol_fee_rate and lp_fee_rate are not taker_fee_rate`)
        continue
      }
      // made at once, of reserves that may have moved since the record
      if (told.slot !== detail.slot) continue
      compareFields(path, told, 'what the reserves give', {
        ...quoteFigures(reserves, asked, protocol, lp, pool),
        pool_id: pool.id,
        side,
        last_price: detail.last_price,
        exact: detail.state === 'spot'
      }, doubt, undefined, isDeepStrictEqual)
    }
  }
}

/** Fees by day and token add up; the days of the market are those of the fees and of the volumes. */
export async function checkFees (checking: Checking): Promise<void> {
  const { reader, refuse, doubt } = checking
  const path = '/api/fees/aggregate'
  const found = rowOf(await reader.json(path))
  const { days, tokens } = checkSums(path, found, 'fees', 'totalFees', refuse)
  for (const key of ['conditionalFees', 'externalPoolFees']) {
    if (found[key] !== null && decimal(found[key]) === undefined) refuse(`${path}: ${key} ${found[key]}`)
  }
  const volumes = rowOf(await reader.json('/api/volume/aggregate'))
  const volume = new Map(listOf(volumes.dailyBreakdown).map(day => [day.date, day]))
  const fees = new Map(days.map(day => [day.date, day]))
  for (const day of listOf(await reader.json('/api/days'))) {
    const { date } = day
    const where = `/api/days ${date}`
    compareFields(where, day, '/api/volume/aggregate', rowOf(volume.get(date)), doubt,
      [['volume_usd', 'volume'], 'trades'])
    compareFields(where, day, path, rowOf(fees.get(date)), doubt, [['fees_usd', 'fees'], 'trades'])
    checkComplete(checking, where, day)
  }
  const mints = new Map(listOf(volumes.tokens).map(row => [row.mint, row]))
  for (const token of tokens) {
    const traded = rowOf(mints.get(token.mint))
    compareFields(`${path} ${token.mint}`, token, '/api/volume/aggregate', traded, doubt, ['mint', 'symbol'])
  }
}
