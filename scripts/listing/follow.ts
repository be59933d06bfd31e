/** Reserves of a pool from any of its events to the next. */
import { add, compare, powerOfTen, type Rational, subtract, ZERO } from '../../lib/decimal.js'
import type { OwnPool } from './market.js'
import { isRow, near, number, type Refuse, type Row, rowOf } from './rules.js'

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
