/** Events of a pool: each swap is a trade and each trade a swap, and reserves go on from one event to the next. */
import { add, compare, powerOfTen, type Rational, subtract, ZERO } from '../../lib/decimal.js'
import { hasPrice } from '../checks/swaps.js'
import type { Checking } from './check.js'
import type { OwnPool } from './market.js'
import { compareFields, isRow, type Json, near, number, type Refuse, type Row, rowOf } from './rules.js'

const causeOf = ({ metadata }: Row): unknown => rowOf(metadata).cause

/** What an event moves, less the fee that does not go into the reserves. */
function movedBy (event: Row): { asset0: Rational, asset1: Rational } {
  const fee = number(rowOf(event.metadata).protocolFee)
  const moved = (side: 0 | 1): Rational => {
    const amount = number(event[`amount${side}`])
    if (event.eventType !== 'swap') return event.eventType === 'exit' ? subtract(ZERO, amount) : amount
    const paid = event[`asset${side}In`]
    return subtract(subtract(number(paid), number(event[`asset${side}Out`])), paid === undefined ? ZERO : fee)
  }
  return { asset0: moved(0), asset1: moved(1) }
}

/**
 * After each event of a pool, whether a proposal is live: then the program's own arbitrage moves more than events tell.
 * undefined: not known.
 */
function livesOf (events: Row[], now: unknown): Array<boolean | undefined> {
  const told = events.map(event => {
    const cause = causeOf(event)
    return cause === 'proposal-launched'
      ? true
      : cause === undefined ? undefined : false   // liquidity comes and goes only while none is live
  })
  // what the next one was, from the last back
  const ahead: Array<boolean | undefined> = []
  let next = now === 'spot' ? false : now === 'proposal' ? true : undefined
  for (let at = events.length - 1; at >= 0; at--) {
    ahead[at] = next
    const cause = causeOf(events[at]!)
    if (cause !== undefined) next = cause === 'proposal-ended'
  }
  const lives: Array<boolean | undefined> = []
  for (const [at, one] of told.entries()) lives.push(one ?? (at > 0 ? lives[at - 1] : undefined) ?? ahead[at])
  return lives
}

/**
 * Tells each event whose reserves are not those of the one before it and what it moved. `pools`: whose state is known.
 */
export function checkFollows (events: Row[], pools: readonly OwnPool[], refuse: Refuse): void {
  const byPool = new Map<string, Row[]>()
  for (const event of events) {
    const id = String(event.pairId)
    if (!byPool.get(id)?.push(event)) byPool.set(id, [event])
  }
  for (const [id, list] of byPool) {
    const state = pools.find(pool => pool.id === id)?.pool.state
    const lives = livesOf(list, state)
    for (const [at, event] of list.entries()) {
      const before = list[at - 1]
      // a launch takes what it says from what there was before it
      if (before === undefined || lives[at - 1] !== false || !isRow(before.reserves) || !isRow(event.reserves)) continue
      const moved = movedBy(event)
      for (const asset of ['asset0', 'asset1'] as const) {
        const expected = add(number(before.reserves[asset]), moved[asset])
        const after = number(event.reserves[asset])
        const scale = expected.n > 0n ? expected : powerOfTen(-6)
        // swaps that give nothing move a few units, and are in no event
        if (compare(after, expected) !== 0 && !near(after, scale, 1_000_000n)) {
          refuse(
            `${id} ${event.txnId}: the reserves of ${asset} do not follow from the event before, off ` +
              `by ${Number(after.n) / Number(after.d) - Number(expected.n) / Number(expected.d)}`
          )
        }
      }
    }
  }
}

const keyOf = (transaction: Json | undefined, event: Json | undefined): string =>
  `${transaction} ${event}`

/** Every field of a swap as the list of trades has it. */
function expected ({ row, at, slot }: { row: Row, at: number, slot: number }): Record<string, Json | undefined> {
  const [paid, received] = row.side === 'buy'
    ? [row.quote_amount, row.base_amount]
    : [row.base_amount, row.quote_amount]
  const [into, out] = row.side === 'buy' ? ['asset1In', 'asset0Out'] : ['asset0In', 'asset1Out']
  return {
    blockNumber: slot,
    blockTimestamp: at,
    txnIndex: row.block_index,
    maker: row.maker,
    priceNative: row.price,
    [into]: paid,
    [out]: received,
    protocolFee: rowOf(row.fee).amount,
    asset0: row.base_reserve ?? undefined,
    asset1: row.quote_reserve ?? undefined
  }
}

/** `from`, `to`: the blocks that the events are of. */
export async function checkMembers (
  { market, refuse, doubt }: Checking, root: string, pool: OwnPool, events: Row[], [from, to]: [number, number]
): Promise<void> {
  const { trades, reach } = await market.trades(pool)
  if (reach === undefined) return
  const swaps = new Map(events.flatMap((event, place) => event.eventType === 'swap' && event.pairId === pool.id
    ? [[keyOf(event.txnId, event.eventIndex), { event, place }]]
    : []))
  const inRange = trades.filter(trade => hasPrice(trade) && trade.slot >= from && trade.slot <= to)
  const found = new Set<string>()
  const missing: bigint[] = []
  let before = -1
  for (const trade of inRange) {
    const key = keyOf(trade.row.signature, trade.row.event_index)
    const swap = swaps.get(key)
    // what a pool began with may have come too late for a range that was given
    if (swap === undefined) {
      if (found.size > 0) missing.push(trade.seq)
      continue
    }
    found.add(key)
    const { event, place } = swap
    if (place < before) {
      refuse(`${root}/events: trade ${trade.seq} of ${pool.id} comes before the one that its number follows`)
    }
    before = place
    const flat = { ...event, ...rowOf(event.block), ...rowOf(event.metadata), ...rowOf(event.reserves) }
    compareFields(
      `${root}/events, trade ${trade.seq} of ${pool.id}`, flat, '/api/pools', expected(trade), refuse
    )
  }
  if (missing.length > 0) {
    doubt(`${root}/events: ${missing.length} trades of ${pool.id} are in no block, ${missing[0]} among them`)
  }
  for (const [key, { event }] of swaps) {
    if (!found.has(key) && Number(rowOf(event.block).blockTimestamp) >= reach) {
      doubt(`${root}/events: the swap ${key} of ${pool.id} is no trade of /api/pools`)
    }
  }
}
