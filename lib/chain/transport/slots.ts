import type { Fetch } from '../types.js'
import { isRecord } from './answer.js'
import type { Clock } from './clock.js'
import { nodeError } from './fault.js'

// How long what one node said holds against the others: as long as a lag of the default limit, 150 slots of 400 ms.
const OTHERS_MS = 60_000
// How long it holds against itself: a node that has not come near its own slot for so long was wrong before, or has been reset.
// Under the 10 s within which the service must recover from a node that was wrong once.
const ITSELF_MS = 5_000

/** The newest slot each node has shown. */
export interface SlotWatch {
  /** Takes note of a slot shown by the node at `index`; by how many slots it is behind the furthest, 0 when it leads. */
  lag (index: number, slot: number): number
}

export function createSlotWatch (clock: Clock): SlotWatch {
  const marks = new Map<number, { slot: number, at: number }>()
  return {
    lag (index, slot) {
      const now = clock.now()
      const own = marks.get(index)
      if (own === undefined || slot >= own.slot || now - own.at > ITSELF_MS) marks.set(index, { slot, at: now })
      const valid = [...marks.values()].filter(({ at }) => now - at <= OTHERS_MS)
      return Math.max(...valid.map(mark => mark.slot), slot) - slot
    }
  }
}

export interface SlotOptions {
  host: string
  index: number
  watch: SlotWatch
  /** Slots that a node may be behind. */
  maxLag: number
}

/** Refuses answers whose `context.slot` is more than `maxLag` behind the highest that any node has shown lately: NODE_UNAVAILABLE. */
export function withSlotLimit (fetch: Fetch, { host, index, watch, maxLag }: SlotOptions): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    for (const slot of contextSlots(await response.json())) {
      const lag = watch.lag(index, slot)
      if (lag > maxLag) throw nodeError('NODE_UNAVAILABLE', `is ${lag} slots behind`, { host, reason: 'behind' })
    }
    return response
  }
}

/** The slots of those results that state one; what else they must hold is for the reader of the result to say. */
function contextSlots (answer: unknown): number[] {
  return (Array.isArray(answer) ? answer as unknown[] : [answer]).flatMap(member => {
    const result = isRecord(member) ? member.result : undefined
    const context = isRecord(result) ? result.context : undefined
    const slot = isRecord(context) ? context.slot : undefined
    return typeof slot === 'number' && Number.isSafeInteger(slot) ? [slot] : []
  })
}
