import type { SwapRow } from '../rules/types.js'

/**
 * Swaps kept in columns of numbers: as objects a hundred thousand of them hold 70 MB, in columns 8. Each stands in a row, found by its DAO and number,
 * among those of its DAO and among those of its second. Rows of swaps that are gone are taken again.
 */

const FIRST_ROWS = 1_024
const NONE = -1
/** Buckets of the seconds: a day has 86,400. What shares one is told apart by its time. */
const SECONDS = 1 << 17

/** Texts by small numbers, each kept for as long as it is in use. */
function createTexts () {
  const ids = new Map<string, number>()
  const texts: string[] = []
  const uses: number[] = []
  const free: number[] = []
  return {
    text: (id: number): string => texts[id]!,
    id: (text: string): number | undefined => ids.get(text),
    take (text: string): number {
      let id = ids.get(text)
      if (id === undefined) {
        id = free.pop() ?? texts.length
        ids.set(text, id)
        texts[id] = text
        uses[id] = 0
      }
      uses[id]!++
      return id
    },
    drop (id: number): void {
      if (--uses[id]! > 0) return
      ids.delete(texts[id]!)
      texts[id] = ''
      free.push(id)
    }
  }
}

/** Rows in chains, one for each bucket, the newest first. */
function createChains (buckets: number, rows: number) {
  let heads = new Int32Array(buckets).fill(NONE)
  let next = new Int32Array(rows)
  let previous = new Int32Array(rows)
  return {
    get buckets () { return heads.length },
    first: (bucket: number): number => heads[bucket] ?? NONE,
    next: (row: number): number => next[row]!,
    add (row: number, bucket: number): void {
      const head = heads[bucket]!
      next[row] = head
      previous[row] = NONE
      if (head !== NONE) previous[head] = row
      heads[bucket] = row
    },
    remove (row: number, bucket: number): void {
      const [before, after] = [previous[row]!, next[row]!]
      if (before === NONE) heads[bucket] = after
      else next[before] = after
      if (after !== NONE) previous[after] = before
    },
    /** Room for so many rows. */
    grow (rows: number): void {
      next = grown(next, new Int32Array(rows))
      previous = grown(previous, new Int32Array(rows))
    },
    /** So many buckets, all empty from now on, or with what they had. */
    spread (buckets: number, isKept: boolean): void {
      const spread = new Int32Array(buckets).fill(NONE)
      if (isKept) spread.set(heads)
      heads = spread
    }
  }
}

function grown<T extends Int32Array | Float64Array | BigUint64Array | Uint8Array> (from: T, to: T): T {
  to.set(from as never)
  return to
}

const SELL = 1
const HAS_FEE = 2

export function createKeptSwaps () {
  const daos = createTexts()
  const makers = createTexts()
  let room = FIRST_ROWS
  let taken = 0
  const free: number[] = []
  let flags = new Uint8Array(room)
  let dao = new Int32Array(room)
  let maker = new Int32Array(room)
  let at = new Float64Array(room)
  let price = new Float64Array(room)
  let seq = new BigUint64Array(room)
  let input = new BigUint64Array(room)
  let output = new BigUint64Array(room)
  let fee = new BigUint64Array(room)
  const byKey = createChains(room, room)
  const byDao = createChains(FIRST_ROWS, room)
  const bySecond = createChains(SECONDS, room)

  const keyOf = (dao: number, seq: bigint): number => (Math.imul(dao, 0x9e3779b1) ^ Math.imul(Number(seq & 0xffffffffn), 0x85ebca6b)) >>> 7 & byKey.buckets - 1
  const secondOf = (second: number): number => ((second % SECONDS) + SECONDS) % SECONDS

  function grow (): void {
    room *= 2
    flags = grown(flags, new Uint8Array(room))
    dao = grown(dao, new Int32Array(room))
    maker = grown(maker, new Int32Array(room))
    at = grown(at, new Float64Array(room))
    price = grown(price, new Float64Array(room))
    seq = grown(seq, new BigUint64Array(room))
    input = grown(input, new BigUint64Array(room))
    output = grown(output, new BigUint64Array(room))
    fee = grown(fee, new BigUint64Array(room))
    for (const chains of [byKey, byDao, bySecond]) chains.grow(room)
    byKey.spread(room, false)
    // all rows are taken when room is wanted
    for (let row = 0; row < taken; row++) byKey.add(row, keyOf(dao[row]!, seq[row]!))
  }

  function takeRow (): number {
    const row = free.pop()
    if (row !== undefined) return row
    if (taken === room) grow()
    return taken++
  }

  function whole (column: BigUint64Array, row: number, value: bigint): void {
    column[row] = value
    // a column holds 64 bits and says nothing of more
    if (column[row] !== value) throw new RangeError(`${value} is no u64`)
  }

  return {
    /** The row of a swap; -1: it is not kept. */
    find (address: string, number: bigint): number {
      const id = daos.id(address)
      if (id === undefined) return NONE
      let row = byKey.first(keyOf(id, number))
      while (row !== NONE && (dao[row] !== id || seq[row] !== number)) row = byKey.next(row)
      return row
    },

    /** Keeps a swap that is not kept yet, and gives its row. Throws a RangeError for an amount that is no u64. */
    add (swap: SwapRow): number {
      const row = takeRow()
      whole(seq, row, swap.seq)
      whole(input, row, swap.input)
      whole(output, row, swap.output)
      whole(fee, row, swap.fee ?? 0n)
      const isSell = swap.side === 'sell'
      flags[row] = (isSell ? SELL : 0) | (swap.fee === null ? 0 : HAS_FEE)
      at[row] = swap.at
      price[row] = swap.input === 0n || swap.output === 0n ? NaN : isSell ? Number(swap.output) / Number(swap.input) : Number(swap.input) / Number(swap.output)
      const id = daos.take(swap.dao)
      dao[row] = id
      maker[row] = swap.maker === null ? NONE : makers.take(swap.maker)
      if (id >= byDao.buckets) byDao.spread(2 * byDao.buckets, true)
      byKey.add(row, keyOf(id, swap.seq))
      byDao.add(row, id)
      bySecond.add(row, secondOf(swap.at))
      return row
    },

    remove (row: number): void {
      const id = dao[row]!
      byKey.remove(row, keyOf(id, seq[row]!))
      byDao.remove(row, id)
      bySecond.remove(row, secondOf(at[row]!))
      daos.drop(id)
      if (maker[row] !== NONE) makers.drop(maker[row]!)
      free.push(row)
    },

    /** The swap in a row, as it was put there. */
    get: (row: number): SwapRow => ({
      dao: daos.text(dao[row]!),
      seq: seq[row]!,
      at: at[row]!,
      side: (flags[row]! & SELL) === 0 ? 'buy' : 'sell',
      input: input[row]!,
      output: output[row]!,
      fee: (flags[row]! & HAS_FEE) === 0 ? null : fee[row]!,
      maker: maker[row] === NONE ? null : makers.text(maker[row]!)
    }),

    at: (row: number): number => at[row]!,
    seq: (row: number): bigint => seq[row]!,
    /** A number for who traded, the same for the same; -1: not known. */
    maker: (row: number): number => maker[row]!,
    /** Raw quote ÷ raw base as a float, off by less than 1 part in 10^15; NaN: the swap has no price. */
    nearPrice: (row: number): number => price[row]!,

    /** Rows of a DAO, in no order. They may not be added to or removed meanwhile. */
    * ofDao (address: string): Generator<number> {
      const id = daos.id(address)
      if (id === undefined) return
      for (let row = byDao.first(id); row !== NONE; row = byDao.next(row)) yield row
    },

    /** Rows of a second, in no order. The one at hand may be removed. */
    * ofSecond (second: number): Generator<number> {
      let row = bySecond.first(secondOf(second))
      while (row !== NONE) {
        const next = bySecond.next(row)
        if (at[row] === second) yield row
        row = next
      }
    }
  }
}
