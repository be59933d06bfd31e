/** Reserves of a pool from any of its events to the next. */
import { compare, powerOfTen, type Rational, ratio } from '../../lib/decimal.js'
import type { OwnPool } from './market.js'
import { decimal, isRow, near, type Refuse, type Row } from './rules.js'

const part = (row: Row, key: string): Rational => decimal(row[key]) ?? ratio(0n)
const sum = (...parts: Rational[]): Rational =>
  parts.reduce((total, one) => ({ n: total.n * one.d + one.n * total.d, d: total.d * one.d }))
const minus = ({ n, d }: Rational): Rational => ({ n: -n, d })
const causeOf = ({ metadata }: Row): unknown => isRow(metadata) ? metadata.cause : undefined

/** What an event moves, less the fee that does not go into the reserves. */
function movedBy (event: Row): { asset0: Rational, asset1: Rational } {
  const fee = isRow(event.metadata) ? part(event.metadata, 'protocolFee') : ratio(0n)
  const sign = event.eventType === 'exit' ? minus : (value: Rational) => value
  if (event.eventType !== 'swap') return { asset0: sign(part(event, 'amount0')), asset1: sign(part(event, 'amount1')) }
  const moved = (asset: 'asset0' | 'asset1'): Rational =>
    sum(
      part(event, `${asset}In`),
      minus(part(event, `${asset}Out`)),
      event[`${asset}In`] === undefined ? ratio(0n) : minus(fee)
    )
  return { asset0: moved('asset0'), asset1: moved('asset1') }
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
    const list = byPool.get(String(event.pairId))
    if (list === undefined) byPool.set(String(event.pairId), [event])
    else list.push(event)
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
        const expected = sum(part(before.reserves, asset), moved[asset])
        const after = part(event.reserves, asset)
        const scale = expected.n > 0n ? expected : ratio(1n, powerOfTen(6).n)
        // swaps that give nothing move a few units, and are in no event
        if (compare(after, expected) !== 0 && !near(after, scale, 1_000_000n)) {
          refuse(
            `${id} ${String(event.txnId)}: the reserves of ${asset} do not follow from the event before, off ` +
              `by ${Number(after.n) / Number(after.d) - Number(expected.n) / Number(expected.d)}`
          )
        }
      }
    }
  }
}
