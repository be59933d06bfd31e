/** The history: transactions in order, found by signature, by position and by the addresses they mention. */
import { base58 } from './bytes.js'
import { scatter, signatureBytes } from './random.js'
import {
  type ActionShape, type Shape, type ShapeOptions, type TransactionVersion, createShape, transactionError
} from './shapes.js'

const CHUNK = 1 << 23
/** Other programs' transactions between two of a block, at most. */
const BETWEEN = 40
const AGGREGATOR_DATA = Buffer.from('c1209b3341d69c81', 'hex')

/** An action with its data: one Buffer for each call of its shape, in that order. */
export interface Action {
  /** Actions of one key have the same shape, so it is built once. */
  key: string
  shape: () => ActionShape
  data: Buffer[]
}

export interface TransactionOptions extends Partial<ShapeOptions> {
  /** Unix seconds; null: the node has none. Default: the ledger's time. */
  blockTime?: number | null
  /** null: the node did not record them; the same as `innerUnknown`. */
  innerInstructions?: null
}

/** Positions of transactions, in order; four bytes each however many there are. */
export interface Positions { readonly length: number, at (index: number): number, push (value: number): void }

function createPositions (): Positions {
  let values = new Int32Array(4)
  let length = 0
  return {
    get length () { return length },
    at: index => values[index]!,
    push (value) {
      if (length === values.length) {
        const larger = new Int32Array(length * 2)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    }
  }
}

interface Kept { shape: Shape, lists: Positions[] }

export type History = ReturnType<typeof createHistory>

export function createHistory (seed: number) {
  const shapes = new Map<string, Kept>()
  const kept: Kept[] = []
  const slots: number[] = []
  const times: Array<number | null> = []
  const blockIndexes: number[] = []
  const offsets: number[] = []
  const signatures: string[] = []
  const bySignature = new Map<string, number>()
  const byAddress = new Map<string, Positions>()
  const chunks: Buffer[] = []
  let used = CHUNK

  function store (data: Buffer[]): number {
    let size = 0
    for (const { length } of data) size += length + 2
    if (used + size > CHUNK) {
      chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, size)))
      used = 0
    }
    const chunk = chunks[chunks.length - 1]!
    const start = used
    for (const bytes of data) {
      used = chunk.writeUInt16LE(bytes.length, used)
      chunk.set(bytes, used)
      used += bytes.length
    }
    return (chunks.length - 1) * CHUNK + start
  }

  function shapeOf (actions: Action[], options: ShapeOptions): Kept {
    const key =
      `${options.payer}${options.via}${options.version}${options.failed}${options.unexecuted}${options.innerUnknown}|${actions.map(action => action.key).join('|')}`
    let found = shapes.get(key)
    if (found === undefined) {
      const shape = createShape(actions.map(action => action.shape()), options)
      const lists = shape.addresses.map(address => {
        let list = byAddress.get(address)
        if (list === undefined) byAddress.set(address, list = createPositions())
        return list
      })
      shapes.set(key, found = { shape, lists })
    }
    return found
  }

  return {
    get length () { return slots.length },
    /** The signature that the next transaction will have. */
    nextSignature: (): string => base58(signatureBytes(seed, slots.length)),
    append (signature: string, slot: number, time: number | null, actions: Action[], options: ShapeOptions): number {
      const index = slots.length
      const found = shapeOf(actions, options)
      // In the order of the JSON's holes: what is called, then the outer instructions.
      const inner = options.innerUnknown || options.unexecuted
        ? []
        : actions.flatMap(({ data }) => options.via === 'aggregator' ? data : data.slice(1))
      const outer = options.via === 'aggregator'
        ? actions.map(() => AGGREGATOR_DATA)
        : actions.map(({ data }) => data[0]!)
      offsets.push(store([...inner, ...outer]))
      // Blocks carry other programs' transactions too: a place in the block is no place in a list of signatures.
      const between = Math.floor(scatter(seed, index, 1) * BETWEEN)
      blockIndexes.push(index > 0 && slots[index - 1] === slot ? blockIndexes[index - 1]! + 1 + between : between)
      slots.push(slot)
      times.push(time)
      kept.push(found)
      signatures.push(signature)
      bySignature.set(signature, index)
      for (const list of found.lists) list.push(index)
      return index
    },
    find: (signature: string): number | undefined => bySignature.get(signature),
    ofAddress: (address: string): Positions | undefined => byAddress.get(address),
    signature: (index: number): string => signatures[index]!,
    slot: (index: number): number => slots[index]!,
    time: (index: number): number | null => times[index]!,
    failed: (index: number): boolean => kept[index]!.shape.options.failed,
    /** Its place among all transactions of its block. */
    blockIndex: (index: number): number => blockIndexes[index]!,
    version: (index: number): TransactionVersion => kept[index]!.shape.options.version,
    error: (index: number): object | string | null => transactionError(kept[index]!.shape.options),
    /**
     * Signatures of the block at `slot` in order, other programs' among them; null: none of our transactions is in it.
     */
    block (slot: number): string[] | null {
      let index = this.countUpTo(slot - 1)
      if (slots[index] !== slot) return null
      const found: string[] = []
      const other = () => base58(signatureBytes(seed ^ 0x5f3759df, slot * 8192 + found.length))
      for (; slots[index] === slot; index++) {
        while (found.length < blockIndexes[index]!) found.push(other())
        found.push(signatures[index]!)
      }
      for (let left = Math.floor(scatter(seed, slot, 2) * BETWEEN); left > 0; left--) found.push(other())
      return found
    },
    logs: (index: number): string[] => kept[index]!.shape.logs,
    addresses: (index: number): string[] => kept[index]!.shape.addresses,
    /** How many transactions have a slot of at most `slot`. */
    countUpTo (slot: number): number {
      let low = 0
      let high = slots.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (slots[middle]! <= slot) low = middle + 1
        else high = middle
      }
      return low
    },
    /** What `getTransaction` answers, encoding json; older node software leaves the place in the block out. */
    json (index: number, withBlockIndex = true): string {
      const fragments = kept[index]!.shape.fragments()
      const offset = offsets[index]!
      const chunk = chunks[Math.floor(offset / CHUNK)]!
      let at = offset % CHUNK
      let text =
        `{"blockTime":${times[index]!},"slot":${slots[index]!},${withBlockIndex ? `"transactionIndex":${blockIndexes[index]!},` : ''}${fragments[0]!.slice(1)}`
      for (let hole = 1; hole < fragments.length - 1; hole++) {
        const length = chunk.readUInt16LE(at)
        text += base58(chunk.subarray(at + 2, at + 2 + length)) + fragments[hole]!
        at += 2 + length
      }
      return text + signatures[index]! + fragments[fragments.length - 1]!
    }
  }
}
