/** The history: transactions in order, found by signature, by position and by the addresses they mention. */
import { base58 } from './bytes.js'
import { scatter, signatureBytes } from './random.js'
import {
  type ActionShape, type Shape, type ShapeOptions, type TransactionVersion, createShape, transactionError
} from './shapes.js'

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
}

interface Kept { shape: Shape, lists: number[][] }

/** How many of the rising numbers are below `end`. */
export function lowerBound (numbers: readonly number[], end: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numbers[middle]! < end) low = middle + 1
    else high = middle
  }
  return low
}

export type History = ReturnType<typeof createHistory>

export function createHistory (seed: number) {
  const shapes = new Map<string, Kept>()
  const kept: Kept[] = []
  const slots: number[] = []
  const times: Array<number | null> = []
  const blockIndexes: number[] = []
  /** Data of all transactions, one behind the other: a million that have buffers of their own take a gigabyte. */
  let packed = Buffer.alloc(1 << 16)
  let used = 0
  const starts: number[] = []
  const signatures: string[] = []
  const bySignature = new Map<string, number>()
  /** Positions of the transactions that mention an address. */
  const byAddress = new Map<string, number[]>()

  function pack (data: Buffer): void {
    const end = used + 2 + data.length
    if (end > packed.length) packed = Buffer.concat([packed], 2 * end)
    packed.writeUInt16LE(data.length, used)
    packed.set(data, used + 2)
    used = end
  }

  function shapeOf (actions: Action[], options: ShapeOptions): Kept {
    const key = [...Object.values(options), ...actions.map(action => action.key)].join('|')
    let found = shapes.get(key)
    if (found === undefined) {
      const shape = createShape(actions.map(action => action.shape()), options)
      const lists = shape.addresses.map(address => {
        let list = byAddress.get(address)
        if (list === undefined) byAddress.set(address, list = [])
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
      const inner = options.innerUnknown || options.unexecuted
        ? []
        : actions.flatMap(({ data }) => options.via === 'aggregator' ? data : data.slice(1))
      const outer = options.via === 'aggregator'
        ? actions.map(() => AGGREGATOR_DATA)
        : actions.map(({ data }) => data[0]!)
      starts.push(used)
      // in the order of the JSON's holes: what is called, then the outer instructions
      for (const data of [...inner, ...outer]) pack(data)
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
    ofAddress: (address: string): readonly number[] | undefined => byAddress.get(address),
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
    countUpTo: (slot: number): number => lowerBound(slots, slot + 1),
    /** What `getTransaction` answers, encoding json; older node software leaves the place in the block out. */
    json (index: number, withBlockIndex = true): string {
      const fragments = kept[index]!.shape.fragments()
      const place = withBlockIndex ? `"transactionIndex":${blockIndexes[index]!},` : ''
      let text = `{"blockTime":${times[index]!},"slot":${slots[index]!},${place}${fragments[0]!.slice(1)}`
      let at = starts[index]!
      for (const fragment of fragments.slice(1, -1)) {
        const end = at + 2 + packed.readUInt16LE(at)
        text += base58(packed.subarray(at + 2, end)) + fragment
        at = end
      }
      return text + signatures[index]! + fragments[fragments.length - 1]!
    }
  }
}
