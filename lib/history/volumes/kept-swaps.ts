import type { SwapRow } from '../rules/types.js'

/**
 * Swaps kept in columns of numbers: as objects a hundred thousand of them hold 70 MB, in columns 8. Each stands in a row, found by its DAO and number,
 * among those of its DAO and among those of its second. Rows of swaps that are gone are taken again.
 */

/** Columns grow by so many rows: none is copied, or left half empty, by growing. */
const BLOCK_BITS = 12
const BLOCK_ROWS = 1 << BLOCK_BITS
const IN_BLOCK = BLOCK_ROWS - 1
const NONE = -1
const FIRST_DAOS = 1_024
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

interface Column<V> {
  get (row: number): V
  set (row: number, value: V): void
  /** Room for another block of rows. */
  grow (): void
}

/** A column whose blocks `make` makes. */
function createColumn<V> (make: (rows: number) => { [row: number]: V }): Column<V> {
  const blocks: Array<{ [row: number]: V }> = []
  return {
    get: row => blocks[row >> BLOCK_BITS]![row & IN_BLOCK]!,
    set: (row, value) => { blocks[row >> BLOCK_BITS]![row & IN_BLOCK] = value },
    grow: () => { blocks.push(make(BLOCK_ROWS)) }
  }
}

const createInt32 = () => createColumn<number>(rows => new Int32Array(rows))
const createFloat64 = () => createColumn<number>(rows => new Float64Array(rows))
const createBigUint64 = () => createColumn<bigint>(rows => new BigUint64Array(rows))

/** Rows in chains, one for each bucket, the newest first. */
function createChains (buckets: number) {
  let heads = new Int32Array(buckets).fill(NONE)
  const next = createInt32()
  const previous = createInt32()
  return {
    get buckets () { return heads.length },
    first: (bucket: number): number => heads[bucket] ?? NONE,
    next: next.get,
    add (row: number, bucket: number): void {
      const head = heads[bucket]!
      next.set(row, head)
      previous.set(row, NONE)
      if (head !== NONE) previous.set(head, row)
      heads[bucket] = row
    },
    remove (row: number, bucket: number): void {
      const [before, after] = [previous.get(row), next.get(row)]
      if (before === NONE) heads[bucket] = after
      else next.set(before, after)
      if (after !== NONE) previous.set(after, before)
    },
    grow (): void {
      next.grow()
      previous.grow()
    },
    /** So many buckets, all empty from now on, or with what they had. */
    spread (buckets: number, isKept: boolean): void {
      const spread = new Int32Array(buckets).fill(NONE)
      if (isKept) spread.set(heads)
      heads = spread
    }
  }
}

const SELL = 1
const HAS_FEE = 2

export function createKeptSwaps () {
  const daos = createTexts()
  const makers = createTexts()
  let room = 0
  let taken = 0
  const free: number[] = []
  const flags = createColumn<number>(rows => new Uint8Array(rows))
  const dao = createInt32()
  const maker = createInt32()
  const at = createFloat64()
  const price = createFloat64()
  const seq = createBigUint64()
  const input = createBigUint64()
  const output = createBigUint64()
  const fee = createBigUint64()
  const byKey = createChains(BLOCK_ROWS)
  const byDao = createChains(FIRST_DAOS)
  const bySecond = createChains(SECONDS)
  const columns = [flags, dao, maker, at, price, seq, input, output, fee, byKey, byDao, bySecond]

  const keyOf = (dao: number, seq: bigint): number => (Math.imul(dao, 0x9e3779b1) ^ Math.imul(Number(seq & 0xffffffffn), 0x85ebca6b)) >>> 7 & byKey.buckets - 1
  const secondOf = (second: number): number => ((second % SECONDS) + SECONDS) % SECONDS

  function grow (): void {
    room += BLOCK_ROWS
    for (const column of columns) column.grow()
    if (room <= byKey.buckets) return
    byKey.spread(2 * byKey.buckets, false)
    // all rows are taken when room is wanted
    for (let row = 0; row < taken; row++) byKey.add(row, keyOf(dao.get(row), seq.get(row)))
  }

  function takeRow (): number {
    const row = free.pop()
    if (row !== undefined) return row
    if (taken === room) grow()
    return taken++
  }

  function whole (column: Column<bigint>, row: number, value: bigint): void {
    column.set(row, value)
    // a column holds 64 bits and says nothing of more
    if (column.get(row) !== value) throw new RangeError(`${value} is no u64`)
  }

  return {
    /** The row of a swap; -1: it is not kept. */
    find (address: string, number: bigint): number {
      const id = daos.id(address)
      if (id === undefined) return NONE
      let row = byKey.first(keyOf(id, number))
      while (row !== NONE && (dao.get(row) !== id || seq.get(row) !== number)) row = byKey.next(row)
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
      flags.set(row, (isSell ? SELL : 0) | (swap.fee === null ? 0 : HAS_FEE))
      at.set(row, swap.at)
      price.set(row, swap.input === 0n || swap.output === 0n ? NaN : isSell ? Number(swap.output) / Number(swap.input) : Number(swap.input) / Number(swap.output))
      const id = daos.take(swap.dao)
      dao.set(row, id)
      maker.set(row, swap.maker === null ? NONE : makers.take(swap.maker))
      if (id >= byDao.buckets) byDao.spread(2 * byDao.buckets, true)
      byKey.add(row, keyOf(id, swap.seq))
      byDao.add(row, id)
      bySecond.add(row, secondOf(swap.at))
      return row
    },

    remove (row: number): void {
      const id = dao.get(row)
      byKey.remove(row, keyOf(id, seq.get(row)))
      byDao.remove(row, id)
      bySecond.remove(row, secondOf(at.get(row)))
      daos.drop(id)
      if (maker.get(row) !== NONE) makers.drop(maker.get(row))
      free.push(row)
    },

    /** The swap in a row, as it was put there. */
    get: (row: number): SwapRow => ({
      dao: daos.text(dao.get(row)),
      seq: seq.get(row),
      at: at.get(row),
      side: (flags.get(row) & SELL) === 0 ? 'buy' : 'sell',
      input: input.get(row),
      output: output.get(row),
      fee: (flags.get(row) & HAS_FEE) === 0 ? null : fee.get(row),
      maker: maker.get(row) === NONE ? null : makers.text(maker.get(row))
    }),

    at: at.get,
    seq: seq.get,
    /** A number for who traded, the same for the same; -1: not known. */
    maker: maker.get,
    /** Raw quote ÷ raw base as a float, off by less than 1 part in 10^15; NaN: the swap has no price. */
    nearPrice: price.get,

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
        if (at.get(row) === second) yield row
        row = next
      }
    }
  }
}
