/**
 * What is listed below the indexed ranges and waits to be processed. Kept in memory only: after a stop it is listed
 * anew from where the store ends, a call for a thousand.
 */
import type { SignatureInfo } from '../../chain/types.js'
import { above, checkPageOrder, type UnindexedRange } from '../rules/signature-ranges.js'
import { type Cursor, HistoryLost, type Lister, type Page } from './list.js'

export interface Listing {
  /** The signature that the entries follow. */
  after: Cursor
  /** The entry just newer than `after`, where one is known. */
  anchor: string | null
  /** Newest first. */
  entries: SignatureInfo[]
  /** They reach down to the indexed range below, or to the beginning that the node offers. */
  whole: boolean
  /** Nothing more could be listed: asked again once the entries are processed. */
  stuck: boolean
  /** Where the bulk method goes on. */
  token?: string | undefined
  /** The next page, asked for ahead. */
  next?: Promise<Page> | undefined
}

export interface ListingsOptions { program: string, pageSize: number, signal: AbortSignal }

const DEADLINE_MS = 20_000

/** Lists what lies below the indexed ranges, page by page. */
export function createListings (lister: Lister, { program, pageSize, signal }: ListingsOptions) {
  const listings: Listing[] = []
  /** What closes a gap below the head comes before the past. */
  const callOf = ({ until }: UnindexedRange) =>
    ({ priority: until === undefined ? 'past' as const : 'head' as const, deadlineMs: DEADLINE_MS, signal })

  const endOf = ({ entries, after, anchor }: Listing): Cursor & { anchor: string | null } => {
    const last = entries.at(-1)
    return last === undefined
      ? { ...after, anchor }
      : { signature: last.signature, slot: last.slot, anchor: entries.at(-2)?.signature ?? after.signature }
  }

  function pageAfter (listing: Listing, range: UnindexedRange, isBulk: boolean): Promise<Page> {
    const bulk = isBulk ? { limit: pageSize, token: listing.token } : undefined
    return lister.page(program, endOf(listing), { limit: pageSize, ...(bulk && { bulk }) }, callOf(range))
  }

  /**
   * What follows a cursor after which nothing was listed, seen from the entry above it: a node that has lost the cursor
   * answers like one at its beginning. Undefined: it does not know that place.
   */
  async function behind (listing: Listing, range: UnindexedRange): Promise<SignatureInfo[] | undefined> {
    const { signature, slot, anchor } = endOf(listing)
    const place = { limit: pageSize, minSlot: slot, ...(anchor !== null && { before: anchor }) }
    const page = await lister.signatures(program, place, callOf(range))
    checkPageOrder(page)
    const at = page.findIndex(entry => entry.signature === signature)
    if (at >= 0) return page.slice(at + 1)
    const older = page.filter(entry => entry.slot < slot)
    return older.length === 0 ? undefined : older
  }

  const of = ({ above: { oldest } }: UnindexedRange): Listing | undefined =>
    listings.find(({ after }) => after.signature === oldest)
  const put = (listing: Listing): Listing => {
    listings.push(listing)
    return listing
  }

  return {
    of,
    put,
    ofOrNew: (range: UnindexedRange): Listing => {
      const { oldest: signature, oldestSlot: slot, anchor } = range.above
      return of(range) ?? put({ after: { signature, slot }, anchor, entries: [], whole: false, stuck: false })
    },

    /** Drops what belongs to no unindexed range any more. */
    keep (ranges: readonly UnindexedRange[]): void {
      const kept = new Set(ranges.map(of))
      listings.splice(0, Infinity, ...listings.filter(listing => kept.has(listing)))
    },

    /** Asks for the page behind a listing while what it holds is processed. */
    askAhead (listing: Listing, range: UnindexedRange): void {
      if (listing.whole || listing.next !== undefined) return
      listing.next = pageAfter(listing, range, true)
      listing.next.catch(() => {})   // it is thrown where it is waited for
    },

    /**
     * Adds a page. Throws HistoryLost where the node lists nothing although something has to follow, or although it
     * does not know the cursor.
     */
    async extend (listing: Listing, range: UnindexedRange, isBulk: boolean): Promise<void> {
      const { until, above: upper } = range
      const asked = listing.next ?? pageAfter(listing, range, isBulk)
      listing.next = undefined
      listing.token = undefined
      const { infos: listed, token } = await asked
      const infos = listed.length > 0 ? listed : await behind(listing, range)
      if (infos === undefined) {
        const { signature, slot } = endOf(listing)
        throw new HistoryLost(`the node no longer knows the signature ${signature} of slot ${slot}`, range)
      }
      if (infos.length === 0 && until !== undefined) {
        const between = `between slots ${until.newestSlot} and ${upper.oldestSlot}`
        throw new HistoryLost(`the node lists nothing ${between}, nor that they touch`, range)
      }
      const entries = above(infos, until)
      listing.entries = [...listing.entries, ...entries]
      listing.whole = infos.length === 0 || entries.length < infos.length
      listing.stuck = false
      listing.token = token
    }
  }
}
