import { swapVolume, type VolumeRule } from '../../market/volume.js'
import { candleOf, EMPTY_CANDLE, joinCandles, SIZES, type Candle, type Size } from '../rules/candles.js'
import type { Store } from '../store/create-store.js'

/** Unix seconds, `to` excluded; `size` null: single trades. */
interface Piece { size: Size | null, from: number, to: number }

/** Wide candles in the middle, narrower ones on both sides, single trades at the edges. */
export function * piecesOf (
  from: number, to: number, sizes: readonly Size[] = ['days', 'hours', 'minutes']
): Generator<Piece> {
  const [size = null, ...narrower] = sizes
  if (from >= to) return
  const width = size === null ? 1 : SIZES[size]
  const [first, last] = [Math.ceil(from / width) * width, to - to % width]
  if (size === null) yield { size, from, to }
  else if (first >= last) yield * piecesOf(from, to, narrower)
  else {
    yield * piecesOf(from, first, narrower)
    yield { size, from: first, to: last }
    yield * piecesOf(last, to, narrower)
  }
}

/**
 * By DAO all trades from the Unix second `from` to before `to` as one candle; none where there is no trade. Throws
 * HISTORY_UNAVAILABLE.
 */
export function createAggregate (store: Store, valuation: VolumeRule) {
  return async (daos: readonly string[], from: number, to: number) => {
    const sums = new Map<string, Candle>()
    const add = (dao: string, candle: Candle) => sums.set(dao, joinCandles(sums.get(dao) ?? EMPTY_CANDLE, candle))
    await Promise.all(Array.from(piecesOf(from, to), async ({ size, ...piece }) => {
      if (size === null) {
        for (const { dao, seq, swap } of await store.swapsOfAll(daos, piece.from, piece.to)) {
          add(dao, candleOf(swap, seq, swapVolume(swap, valuation)))
        }
      } else {
        for (const candle of await store.candlesOfAll(daos, size, piece)) add(candle.dao, candle)
      }
    }))
    return sums
  }
}
