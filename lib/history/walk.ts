import type { HistoryReader, SignatureInfo } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import type { Fetched, Fetcher, Tolerance } from './fetch.js'
import type { Recorder } from './recorder.js'
import { above, checkPage, extend, merge, reaches, segmentOf, type Gap } from './segments.js'
import type { Segment } from './store.js'

export interface WalkOptions {
  program: string
  /** Signatures asked for at once; nodes give 1,000 at most. */
  pageSize?: number
  /** Signatures in one step, which is written as one: bounds for what the node's pace makes of it. */
  stepSize?: { least: number, most: number }
  now: () => number
}

/** Thrown where a node answers as if it no longer knew the past. */
export class HistoryLost extends ServiceError {
  constructor (message: string) { super('NODE_BAD_ANSWER', message) }
}

export interface HeadResult {
  /** The node's newest signature is the newest one processed, and nothing is left between. */
  reached: boolean
  /** The node's newest is older than ours. */
  behind: boolean
}

/** A step takes about so long, so that the head is looked at in between; the first one is small, as the node's pace is not known yet. */
const STEP_MS = 2000
const FIRST_STEP = 50

const successful = (entries: readonly SignatureInfo[]) => entries.filter(({ failed }) => !failed)

/** The walk over the program's signatures: what it does is kept with `recorder`, one whole step at a time. */
export function createWalk (reader: HistoryReader, recorder: Recorder, fetcher: Fetcher, options: WalkOptions) {
  const { program, pageSize = 1000, stepSize: { least, most } = { least: 10, most: 250 }, now } = options
  let size = Math.min(most, FIRST_STEP)
  /** Entries that are known to follow the signature `after`, not processed yet; `whole`: they reach down to the next segment. */
  let buffer: { after: string, entries: SignatureInfo[], whole: boolean } | undefined
  /** The transactions of the next step, asked for while the last one is written. */
  let ahead: { first: string, size: number, fetched: Promise<Fetched> } | undefined
  let walked = 0
  let nextPage: { after: string, page: Promise<SignatureInfo[]> } | undefined

  const ask = (page: { before?: string, until?: string, limit?: number }) => reader.signatures(program, { limit: pageSize, ...page })

  /** Fetches a step, and learns from it how large the next ones may be. */
  async function fetch (entries: readonly SignatureInfo[], tolerance: Tolerance): Promise<Fetched> {
    const begun = now()
    const fetched = await fetcher.fetch(successful(entries), tolerance)
    const pace = entries.length / Math.max(now() - begun, 1)
    size = Math.round(Math.min(most, 2 * size, Math.max(least, pace * STEP_MS)))
    return fetched
  }

  function fetchAhead (entries: readonly SignatureInfo[]): void {
    const wanted = entries.slice(0, size)
    if (wanted.length === 0) return
    const fetched = fetch(wanted, 'some')
    fetched.catch(() => {})   // it is thrown where it is waited for
    ahead = { first: wanted[0]!.signature, size: wanted.length, fetched }
  }

  /** The next step out of `entries`: what it takes, and what the node gave for it. */
  async function take (entries: SignatureInfo[], tolerance: Tolerance): Promise<{ taken: SignatureInfo[], rest: SignatureInfo[], fetched: Fetched }> {
    const ready = ahead?.first === entries[0]?.signature ? ahead : undefined
    if (ready !== undefined) ahead = undefined
    const taken = entries.slice(0, ready?.size ?? size)
    const rest = entries.slice(taken.length)
    const fetched = await (ready?.fetched ?? fetch(taken, tolerance))
    fetchAhead(rest)
    return { taken, rest, fetched }
  }

  function askAhead ({ signature }: SignatureInfo, until: Segment | undefined): void {
    const page = ask({ before: signature, ...(until && { until: until.newest }) })
    page.catch(() => {})
    nextPage = { after: signature, page }
  }

  /** The entry right below `entry`. Asked without `until`, so that a node that knows nothing can't seem to say that nothing is between. */
  async function follower (entry: { signature: string, slot: number }): Promise<SignatureInfo | undefined> {
    const page = await ask({ before: entry.signature, limit: 1 })
    checkPage(page, entry)
    return page[0]
  }

  async function touches (entry: { signature: string, slot: number }, segment: Segment): Promise<boolean> {
    const next = await follower(entry)
    return next !== undefined && reaches(next, segment)
  }

  /** What lies below a segment, as far as one page tells; empty only where it has been made sure that nothing does. */
  async function below ({ above: segment, until }: Gap): Promise<{ entries: SignatureInfo[], whole: boolean }> {
    const before = { signature: segment.oldest, slot: segment.oldestSlot }
    const asked = nextPage?.after === segment.oldest ? nextPage.page : ask({ before: segment.oldest, ...(until && { until: until.newest }) })
    nextPage = undefined
    const page = await asked
    checkPage(page, before)
    const entries = above(page, until)
    if (entries.length > 0) return { entries, whole: entries.length < page.length }
    if (page.length > 0) return { entries, whole: true }
    if (until !== undefined) {
      const next = await follower(before)
      if (next === undefined) throw new HistoryLost(`the node lists nothing between slots ${until.newestSlot} and ${segment.oldestSlot}, nor that they touch`)
      return reaches(next, until) ? { entries, whole: true } : { entries: [next], whole: false }
    }
    // A node that has lost the cursor answers like one at its beginning
    const [known] = segment.anchor === null ? [before] : await ask({ before: segment.anchor, limit: 1 })
    if (known?.signature !== segment.oldest) throw new HistoryLost(`the node no longer knows the signature ${segment.oldest} of slot ${segment.oldestSlot}`)
    return { entries, whole: true }
  }

  /** Processes one step of `gap`. `lenient`: transactions that can't be had count as missing, however many. */
  async function down (gap: Gap, lenient: boolean): Promise<void> {
    const { index, above: segment, until } = gap
    const { entries, whole } = buffer?.after === segment.oldest ? buffer : await below(gap)
    buffer = undefined
    const { segments } = recorder.state
    if (entries.length === 0) {
      if (until === undefined) await recorder.commit({ events: [], ended: true })
      else await recorder.commit({ events: [], segments: merge(segments, index) })
      return
    }
    if (!whole && entries.length <= size && nextPage === undefined) askAhead(entries.at(-1)!, until)
    const { taken, rest, fetched } = await take(entries, lenient ? 'anything' : 'some')
    const longer = segments.with(index, extend(segment, taken))
    const closed = rest.length === 0 && whole && until !== undefined
    await recorder.commit({ ...fetched, segments: closed ? merge(longer, index) : longer })
    walked += taken.length
    if (rest.length > 0) buffer = { after: taken.at(-1)!.signature, entries: rest, whole }
  }

  /** Begins a segment at the newest signature with what a page lists above `top`. */
  async function begin (page: SignatureInfo[], top: Segment | undefined, lenient: boolean): Promise<boolean> {
    checkPage(page)
    const entries = above(page, top)
    if (entries.length === 0) return false
    const whole = entries.length < page.length
    // At the head a transaction may only be late; what is not waited for here is missing from the last 24 hours
    const { taken, rest, fetched } = await take(entries, lenient ? 'anything' : top === undefined ? 'some' : 'nothing')
    const last = taken.at(-1)!
    const joined = top !== undefined && rest.length === 0 && (whole || await touches(last, top))
    const segments = [segmentOf(taken), ...recorder.state.segments]
    await recorder.commit({ ...fetched, segments: joined ? merge(segments, 0) : segments, ...(top === undefined && { ended: false }) })
    walked += taken.length
    if (rest.length > 0) buffer = { after: last.signature, entries: rest, whole: whole && top !== undefined }
    return joined || top === undefined
  }

  /** Looks for signatures newer than those processed, and processes the first step of them. */
  async function head (lenient: boolean): Promise<HeadResult> {
    const [top] = recorder.state.segments
    if (top === undefined) {
      const page = await ask({})
      if (page.length > 0) return { reached: await begin(page, top, lenient), behind: false }
      await recorder.commit({ events: [], ended: true })
      return { reached: true, behind: false }
    }
    const [newest] = await ask({ limit: 1 })
    if (newest === undefined) throw new HistoryLost('the node lists no signature at all, though there are some')
    if (newest.signature === top.newest) return { reached: true, behind: false }
    if (newest.slot < top.newestSlot) return { reached: false, behind: true }
    const page = await ask({ until: top.newest })
    const known = newest.slot === top.newestSlot && page.length === 0   // nodes may order the transactions of one slot differently
    return { reached: await begin(page, top, lenient) || known, behind: false }
  }

  return {
    head,
    down,
    /** Signatures processed since the start. */
    get walked () { return walked }
  }
}

export type Walk = ReturnType<typeof createWalk>
