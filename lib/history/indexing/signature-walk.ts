import type { Moment } from '../../chain/moment.js'
import type { Priority, SignatureInfo, SignaturePage } from '../../chain/types.js'
import { badAnswer, isServiceError } from '../../errors.js'
import { lossOf, withLoss } from '../rules/losses.js'
import {
  above, extend, isComplete, joinRanges, rangeOf, unindexedRanges, type UnindexedRange
} from '../rules/signature-ranges.js'
import type { IndexedRange, Loss } from '../rules/rows.js'
import type { Step } from './commit.js'
import type { Context } from './context.js'
import { createFeed, type StepResult, type WalkSizes } from './feed.js'
import { createListings, listSignatures } from './list.js'

/** `reached`: the finalized head, once all below it is stored; `behind`: the node lists less than is stored. */
export interface HeadResult extends StepResult {
  reached?: Moment | undefined
  behind?: boolean
}

/** How long what is listed and not given is asked for, ms; at the head it may only be late. */
const PATIENCE_MS = 7_500
const HEAD_PATIENCE_MS = 20_000
/** Signatures that nearly always reach down to what is stored. */
const HEAD_PAGE = 25
/** Up to so many new signatures are stored from the oldest up, without a gap; more, from the newest down. */
const MAX_RISING = 10_000
/** Signatures that are listed ahead. */
const MAX_LISTED = 50_000
/** After so many such answers in a row, some 20 s, an unknown past is taken for lost. */
const LOST_AFTER = 10

/** The walk over the program's signatures: what is new at the head, and back to what is stored. */
export function createSignatureWalk (context: Context, { pageSize = 1000, stepSize = 250 }: WalkSizes = {}) {
  const { reader, program, writer, fetcher, clock, signal, onLog } = context
  const listings = createListings(context, pageSize)
  const advance = createFeed(context, stepSize)
  let walked = 0
  /** Such answers in a row. */
  let unknown = 0
  /**
   * New entries above the newest range, oldest first, and the head up to which they are all; waited for until `until`,
   * ms: the newest of another list would be as late.
   */
  let rising: { entries: SignatureInfo[], asked: Moment, until: number } | undefined
  /** The head that no list has reached yet: lists may be a few seconds behind accounts. */
  let awaited: Moment | undefined

  const open = () => unindexedRanges(writer.state)

  /** Stores the first of `entries`, with what that makes of the ranges. */
  async function process (
    entries: readonly SignatureInfo[], priority: Priority, patienceMs: number,
    change: (taken: SignatureInfo[]) => Partial<Step>
  ): Promise<StepResult> {
    const { entries: taken, events, missing, ...result } = await advance(entries, priority, patienceMs)
    if (taken.length === 0) return result
    await writer.commit({ events, missing, ...change(taken) })
    fetcher.forget(taken)
    walked += taken.length
    return result
  }

  /** A range that is not all listed down to `edge`. */
  const toList = (edge: number): UnindexedRange | undefined => open().find(range => {
    const { entries, whole, stuck } = listings.of(range)
    const { oldestTime } = extend(range.above, entries)
    return !whole && !stuck && entries.length < MAX_LISTED && (oldestTime === null || oldestTime > edge)
  })

  async function listMore (range: UnindexedRange): Promise<StepResult> {
    const listing = listings.of(range)
    await listings.extend(listing, range).catch((error: unknown) => {
      if (!isServiceError(error, 'CURSOR_UNKNOWN') || listing.entries.length === 0) throw error
      listing.stuck = true
    })
    return { taken: 0 }
  }

  const isDownTo = ({ oldestTime }: IndexedRange, edge: number) => oldestTime !== null && oldestTime <= edge

  /** Those after `edge` and the one that shows that they are all; if those are stored, everything. */
  function firstOf (entries: SignatureInfo[], stored: IndexedRange, edge: number): SignatureInfo[] {
    const older = entries.findIndex(({ blockTime }) => blockTime !== null && blockTime <= edge)
    return isDownTo(stored, edge) || older === -1 ? entries : entries.slice(0, older + 1)
  }

  /** Once all of `range` is stored, or given up. */
  const closed = ({ index, until }: UnindexedRange, ranges = writer.state.indexedRanges): Partial<Step> =>
    until === undefined
      ? { indexedRanges: ranges, ended: true }
      : { indexedRanges: ranges.toSpliced(index, 2, joinRanges(ranges[index]!, until)) }

  /** Stores some of what lies below a range, first what is younger than `edge`. */
  async function storeBelow (range: UnindexedRange, edge: number): Promise<StepResult> {
    const { index, above: upper, until } = range
    const listing = listings.of(range)
    if (listing.entries.length === 0 && !listing.whole) await listings.extend(listing, range)
    const { entries, whole } = listing
    if (entries.length === 0 && whole) {
      await writer.commit({ events: [], ...closed(range) })
      listings.drop(range)
      return { taken: 0 }
    }
    const { indexedRanges } = writer.state
    const first = firstOf(entries, upper, edge)
    const isLast = (taken: number): boolean => whole && taken === entries.length
    const priority = until !== undefined ? 'head' : isDownTo(upper, edge) ? 'past' : 'day'
    const advanced = await process(first, priority, PATIENCE_MS, taken => {
      const longer = indexedRanges.with(index, extend(upper, taken))
      return isLast(taken.length) ? closed(range, longer) : { indexedRanges: longer }
    })
    if (isLast(advanced.taken)) listings.drop(range)
    else listing.entries = entries.slice(advanced.taken)
    return advanced
  }

  /** Begins a range at the newest signature, for the first time or after a long absence. */
  async function begin (entries: SignatureInfo[], whole: boolean): Promise<StepResult> {
    const { indexedRanges, ended } = writer.state
    const isFirst = indexedRanges.length === 0
    const advanced = await process(entries, 'head', isFirst ? PATIENCE_MS : HEAD_PATIENCE_MS, taken =>
      ({ indexedRanges: [rangeOf(taken), ...indexedRanges], ended: ended && !isFirst }))
    if (advanced.taken > 0) {
      Object.assign(listings.of({ until: indexedRanges[0] }), { entries: entries.slice(advanced.taken), whole })
    }
    return advanced
  }

  function wait (entries: SignatureInfo[], asked: Moment): void {
    rising = entries.length > 0 ? { entries, asked, until: clock.now() + HEAD_PATIENCE_MS } : undefined
  }

  /** Stores the oldest of what waits above the newest range. */
  async function rise (top: IndexedRange, { entries, asked }: NonNullable<typeof rising>): Promise<HeadResult> {
    const advanced = await process(entries, 'head', HEAD_PATIENCE_MS, taken =>
      ({ indexedRanges: writer.state.indexedRanges.with(0, joinRanges(rangeOf(taken.toReversed()), top)) }))
    const left = entries.slice(advanced.taken)
    if (advanced.taken > 0) wait(left, asked)
    return { ...advanced, reached: left.length === 0 ? asked : undefined }
  }

  /** A node that has not reached `minSlot` would list less. */
  const list = (page: SignaturePage & { minSlot: number }) =>
    listSignatures(context, program, page, { priority: 'head', signal })

  /** What is new, newest first; `whole`: down to `top`. */
  async function listNew (top: IndexedRange, page: SignatureInfo[], minSlot: number, edge: number) {
    const entries = above(page, top)
    let whole = entries.length < page.length
    while (!whole && entries.length < MAX_RISING && (entries.at(-1)?.blockTime ?? Infinity) > edge) {
      const more = await list({ before: entries.at(-1), limit: pageSize, minSlot })
      if (more.length === 0) break
      const found = above(more, top)
      entries.push(...found)
      whole = found.length < more.length
    }
    return { entries, whole }
  }

  /** The node lists nothing though there are some: what no node has any more may be lost. */
  async function loseBefore (asked: Moment, top: IndexedRange, reachedSlot: number): Promise<HeadResult> {
    const first = Math.min(...await reader.firstAvailableBlocks({ priority: 'head' }))
    const isKnown = first > top.newestSlot && first < Infinity
    const until = isKnown ? await reader.blockTime(first, { priority: 'head' }) : null
    if (until === null) throw badAnswer('the node lists no signature at all, though there are some')
    // nothing has happened since; what did before may be lost, unless the head was there
    if (first > reachedSlot) await lose({ fromSlot: top.newestSlot, toSlot: first - 1, until })
    return { taken: 0, reached: asked }
  }

  /**
   * Stores the first step of what is newer. `ask` gives the finalized head; `edge`: Unix second where the last day
   * begins; `reachedSlot`: of the last head that was reached, or 0; `isConfirmed`: accounts have confirmed one.
   */
  async function head (
    ask: () => Promise<Moment>, edge: number, reachedSlot: number, isConfirmed: boolean
  ): Promise<HeadResult> {
    const [top] = writer.state.indexedRanges
    if (top !== undefined && rising !== undefined && clock.now() < rising.until) return await rise(top, rising)
    const latest = await ask()
    const asked = awaited = awaited !== undefined && awaited.slot < latest.slot ? awaited : latest
    const nothingNew = { taken: 0, reached: asked }
    const limit = top === undefined ? pageSize : Math.min(HEAD_PAGE, pageSize)
    // one node's index may lag by minutes: what any lists at a start, it is held to from then on; while the past is
    // read, what is not listed before accounts confirm a head passes for a part of that
    const isOfEach = reachedSlot === 0 || (!isConfirmed && !isComplete(writer.state))
    const page = await list({ limit, minSlot: asked.slot, since: top?.newestSlot, isOfEach })
    awaited = undefined
    const [newest] = page
    if (top === undefined) {
      if (newest === undefined) {
        await writer.commit({ events: [], ended: true })
        return nothingNew
      }
      const begun = await begin(page, false)
      return { ...begun, reached: begun.taken > 0 ? asked : undefined }
    }
    if (newest === undefined) return await loseBefore(asked, top, reachedSlot)
    if (newest.signature === top.newest) return nothingNew
    if (newest.slot < top.newestSlot) return { taken: 0, behind: true }
    const { entries, whole } = await listNew(top, page, asked.slot, edge)
    // nodes may order the transactions of one slot differently
    if (entries.length === 0) return nothingNew
    if (!whole || (entries.at(-1)!.blockTime ?? Infinity) <= edge) return await begin(entries, whole)
    wait(entries.reverse(), asked)
    return await rise(top, rising!)
  }

  const lose = (loss: Loss | undefined, change: Partial<Step> = {}): Promise<unknown> => writer.commit(
    { events: [], ...change, ...loss && { losses: withLoss(writer.state.losses, loss) } }
  )

  /**
   * One step below the newest range: what is younger than `edge` is listed, and then stored, before the rest. What no
   * node knows any more is given up, not at the first answer, which may come from a node that lags.
   */
  async function back (edge: number): Promise<StepResult> {
    const unlisted = toList(edge)
    const range = unlisted ?? open()[0]!
    try {
      const result = unlisted === undefined ? await storeBelow(range, edge) : await listMore(range)
      unknown = 0
      return result
    } catch (error) {
      if (!isServiceError(error, 'CURSOR_UNKNOWN') || ++unknown < LOST_AFTER) throw error
      onLog({ level: 'error', code: 'past-lost', message: `${error.message}: what was there shows as sequence gaps` })
      await lose(lossOf(range), closed(range))
      listings.drop(range)
      unknown = 0
      return { taken: 0 }
    }
  }

  return {
    head,
    back,
    /** How many transactions after `edge` are not stored; undefined until all are listed. */
    remaining (edge: number): number | undefined {
      if (toList(edge) !== undefined) return undefined
      const entries = open().flatMap(range => listings.of(range).entries)
      return entries.filter(({ blockTime }) => blockTime === null || blockTime > edge).length
    },
    get walked () { return walked }
  }
}
