/** Events of a pool held against its trades: each swap is a trade, each trade a swap, field by field. */
import type { Checking } from './check.js'
import type { OwnPool } from './market.js'
import { compareFields, type Json, type Row, rowOf } from './rules.js'

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
  const inRange = trades.filter(({ slot, hasPrice }) => hasPrice && slot >= from && slot <= to)
  const found = new Set<string>()
  const missing: bigint[] = []
  let before = -1
  for (const trade of inRange) {
    const key = keyOf(trade.row.signature, trade.row.event_index)
    const swap = swaps.get(key)
    // what a pool began with may have come too late for a range that was given
    if (swap === undefined) {
      if (found.size > 0) missing.push(trade.id)
      continue
    }
    found.add(key)
    const { event, place } = swap
    if (place < before) {
      refuse(`${root}/events: trade ${trade.id} of ${pool.id} comes before the one that its number follows`)
    }
    before = place
    const flat = { ...event, ...rowOf(event.block), ...rowOf(event.metadata), ...rowOf(event.reserves) }
    compareFields(
      `${root}/events, trade ${trade.id} of ${pool.id}`, flat, '/api/pools', expected(trade), refuse
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
