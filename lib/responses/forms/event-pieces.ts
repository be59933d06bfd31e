import { LRUCache } from 'lru-cache'
import { inSlices } from '../../async.js'
import { ServiceError } from '../../errors.js'
import type { ChainPosition, PoolEvent } from '../../history/history.js'
import type { Turn } from '../../line.js'
import type { Sources } from '../sources.js'
import { blockEvent } from './block-event.js'
import { poolTokens, type PoolTokens } from './pool-tokens.js'

/** JSON texts of events with commas between. `next`: where the piece after it in the same slots begins. */
export interface EventPiece {
  all: Buffer
  /** Only those that carry the reserves after them. */
  withReserves: Buffer
  next: ChainPosition | undefined
}

/** Slots and events of one piece: some 5 ms of work, 180 kB. */
const SLOTS = 250
const EVENTS = 300
/** All pieces that are kept, bytes, and what one costs beside its own. */
const MAX_BYTES = 32 * 2 ** 20
const OVERHEAD = 512

export const positionOf = ({ slot, blockIndex, eventIndex }: PoolEvent): ChainPosition =>
  ({ slot, blockIndex: blockIndex ?? 0, eventIndex })

/** Published events as bytes, in pieces that never change: made once, and kept while there is room. */
export function createEventPieces ({ history, snapshot, settings: { excluded } }: Sources) {
  const pieces = new LRUCache<string, EventPiece, () => Promise<EventPiece>>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ all, withReserves }) =>
      OVERHEAD + all.length + (withReserves === all ? 0 : withReserves.length),
    fetchMethod: async (_key, _old, { context: make }) => await make(),
    // who waits for a piece gets it, though there is no room to keep it
    ignoreFetchAbort: true
  })

  async function make (from: number, to: number, after: ChainPosition | undefined): Promise<EventPiece> {
    const events = await history.published(reading => reading.poolEvents({ from, to, after, limit: EVENTS }))
    const tokens = new Map<string, PoolTokens>()
    for (const { dao } of events) {
      if (excluded.has(dao) || tokens.has(dao)) continue
      const found = await poolTokens(snapshot, dao)
      // A range is asked for once: nothing is left out of it that may be there the next time
      if (found === undefined) throw new ServiceError('HISTORY_UNAVAILABLE', `the tokens of ${dao} can't be read`)
      tokens.set(dao, found)
    }
    const texts: string[] = []
    const reserved: string[] = []
    await inSlices(events, event => {
      const pool = tokens.get(event.dao)
      const told = pool && blockEvent(event, pool)
      if (told === undefined) return
      const text = JSON.stringify(told)
      texts.push(text)
      if (told.reserves !== undefined) reserved.push(text)
    })
    const all = Buffer.from(texts.join())
    const last = events.length === EVENTS ? events.at(-1) : undefined
    const withReserves = reserved.length === texts.length ? all : Buffer.from(reserved.join())
    return { all, withReserves, next: last && positionOf(last) }
  }

  /**
   * The pieces of a range that has been published, in the order of the chain, each made in a turn of who takes it; who
   * has got the first is admitted to the others. Throws OVERLOADED, and HISTORY_UNAVAILABLE where tokens can't be read.
   */
  return async function * (from: number, to: number, turn: Turn, admitted?: 'admitted'): AsyncGenerator<EventPiece> {
    let isAdmitted = admitted
    for (let begin = from; begin <= to;) {
      const [first, end] = [begin, Math.min(to, begin - begin % SLOTS + SLOTS - 1)]
      let after: ChainPosition | undefined
      do {
        const place = [first, end, after] as const
        const inTurn = (): Promise<EventPiece> => turn(() => make(...place), isAdmitted)
        const piece = (await pieces.fetch(JSON.stringify(place), { context: inTurn }))!
        isAdmitted = 'admitted'
        yield piece
        after = piece.next
      } while (after !== undefined)
      begin = end + 1
    }
  }
}
