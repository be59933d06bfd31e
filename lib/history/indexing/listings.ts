/**
 * What is listed below the indexed ranges and waits to be processed. Kept in memory only: after a stop it is listed
 * anew from where the store ends, a call for a thousand.
 */
import type { Clock } from '../../clock.js'
import type { BulkResult, HistoryReader, Priority, SignatureInfo } from '../../chain/types.js'
import { isServiceError, ServiceError } from '../../errors.js'
import type { Fetcher } from './fetch-transactions.js'
import { above, checkPageOrder, type UnindexedRange } from '../rules/signature-ranges.js'

/** Thrown where a node answers as if it no longer knew the past. */
export class HistoryLost extends ServiceError {
  readonly range: UnindexedRange | undefined
  constructor (message: string, range?: UnindexedRange) {
    super('NODE_BAD_ANSWER', message)
    this.range = range
  }
}

export interface Listing {
  /** The signature that the entries follow. */
  after: { signature: string, slot: number }
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

interface Page { infos: SignatureInfo[], token?: string | undefined, isBulk: boolean }
interface Cursor { signature: string, slot: number, anchor: string | null }

export interface ListingsOptions {
  program: string
  pageSize: number
  clock: Clock
  signal: AbortSignal
}

/** What a bulk entry says as a line of a list. */
export function infoOf (tx: BulkResult['entries'][number]): SignatureInfo {
  return {
    signature: tx.transaction.signatures[0] ?? '',
    slot: tx.slot,
    failed: tx.meta.err !== null,
    blockTime: tx.blockTime,
    transactionIndex: tx.transactionIndex
  }
}

/**
 * What the bulk method gives; undefined also where it fails, as where one transaction of a page can't be read: there is
 * another way.
 */
export async function orNone (asked: Promise<BulkResult | undefined>): Promise<BulkResult | undefined> {
  return await asked.catch((error: unknown) => {
    if (isServiceError(error)) return undefined
    throw error
  })
}

/** Transactions of one page of the bulk method. */
const BULK_PAGE = 1000
const DEADLINE_MS = 20_000

/** Lists what lies below the indexed ranges, page by page. */
export function createListings (
  reader: HistoryReader, fetcher: Fetcher, { program, pageSize, signal }: ListingsOptions
) {
  const listings: Listing[] = []
  const options = (priority: Priority) => ({ priority, deadlineMs: DEADLINE_MS, signal })

  /** A page. `minSlot`: a node that has not come so far lists less than there is, or does not know the cursor. */
  async function signatures (
    page: { before?: string, limit?: number, minSlot?: number }, priority: Priority
  ): Promise<SignatureInfo[]> {
    try {
      return await reader.signatures(program, { limit: pageSize, ...page }, options(priority))
    } catch (error) {
      // A cursor that no node knows: as where one node lists nothing after it
      if (isServiceError(error, 'CURSOR_UNKNOWN')) return []
      throw error
    }
  }

  /**
   * A page by the bulk method, its transactions held; undefined: no node offers it, or the one that does lists nothing
   * after the cursor.
   */
  async function bulkPage (cursor: Cursor, token: string | undefined): Promise<Page | undefined> {
    const place = token === undefined ? { slots: { lte: cursor.slot } } : { token }
    const result = await orNone(reader.bulk(
      program,
      { order: 'desc', limit: Math.min(BULK_PAGE, pageSize), ...place },
      options('past')
    ))
    if (result === undefined) return undefined
    const from = token === undefined
      ? result.entries.findIndex(tx => tx.transaction.signatures[0] === cursor.signature) + 1
      : 0
    if (token === undefined && from === 0) return undefined
    const entries = result.entries.slice(from)
    const infos = entries.map(infoOf)
    checkPageOrder(infos, cursor)
    for (const [at, tx] of entries.entries()) if (!infos[at]!.failed) fetcher.hold(tx, infos[at]!)
    // At its end the other way has to agree that nothing follows
    return infos.length === 0 ? undefined : { infos, token: result.next ?? undefined, isBulk: true }
  }

  async function page (cursor: Cursor, token: string | undefined, priority: Priority, bulk: boolean): Promise<Page> {
    const found = bulk ? await bulkPage(cursor, token) : undefined
    if (found !== undefined) return found
    const infos = await signatures({ before: cursor.signature, minSlot: cursor.slot }, priority)
    checkPageOrder(infos, cursor)
    return { infos, isBulk: false }
  }

  const endOf = ({ entries, after, anchor }: Listing): Cursor => {
    const last = entries.at(-1)
    return last === undefined
      ? { ...after, anchor }
      : { signature: last.signature, slot: last.slot, anchor: entries.at(-2)?.signature ?? after.signature }
  }

  /**
   * What follows a cursor after which nothing was listed, seen from the entry above it: a node that has lost the cursor
   * answers like one at its beginning. Undefined: it does not know that place.
   */
  async function behind (
    { signature, slot, anchor }: Cursor, priority: Priority
  ): Promise<SignatureInfo[] | undefined> {
    const page = await signatures({ ...(anchor !== null && { before: anchor }), minSlot: slot }, priority)
    checkPageOrder(page)
    const at = page.findIndex(entry => entry.signature === signature)
    if (at >= 0) return page.slice(at + 1)
    const older = page.filter(entry => entry.slot < slot)
    return older.length === 0 ? undefined : older
  }

  return {
    signatures,

    of ({ above: { oldest } }: UnindexedRange): Listing | undefined {
      return listings.find(({ after }) => after.signature === oldest)
    },

    begin ({ above: range }: UnindexedRange): Listing {
      const listing: Listing = {
        after: {
          signature: range.oldest,
          slot: range.oldestSlot
        },
        anchor: range.anchor,
        entries: [],
        whole: false,
        stuck: false
      }
      listings.push(listing)
      return listing
    },

    put: (listing: Listing): void => { listings.push(listing) },

    /** Drops what belongs to no unindexed range any more. */
    keep (ranges: readonly UnindexedRange[]): void {
      const oldest = new Set(ranges.map(({ above }) => above.oldest))
      for (let at = listings.length - 1; at >= 0; at--) {
        if (!oldest.has(listings[at]!.after.signature)) {
          listings.splice(at, 1)
        }
      }
    },

    /** Asks for the page behind a listing while what it holds is processed. */
    askAhead (listing: Listing, { until }: UnindexedRange, bulk: boolean): void {
      if (listing.whole || listing.next !== undefined) return
      const next = page(endOf(listing), listing.token, until === undefined ? 'past' : 'head', bulk)
      next.catch(() => {})   // it is thrown where it is waited for
      listing.next = next
    },

    /**
     * Adds a page. Throws HistoryLost where the node lists nothing although something has to follow, or although it
     * does not know the cursor.
     */
    async extend (listing: Listing, unindexed: UnindexedRange, bulk: boolean): Promise<void> {
      const { until, above: range } = unindexed
      const priority = until === undefined ? 'past' : 'head'
      const end = endOf(listing)
      const asked = listing.next ?? page(end, listing.token, priority, bulk)
      listing.next = undefined
      listing.token = undefined
      const { infos: listed, token, isBulk } = await asked
      const infos = listed.length > 0 ? listed : await behind(end, priority)
      if (infos === undefined) {
        throw new HistoryLost(`the node no longer knows the signature ${end.signature} of slot ${end.slot}`, unindexed)
      }
      if (infos.length > 0) {
        const entries = above(infos, until)
        listing.entries = [...listing.entries, ...entries]
        listing.whole = entries.length < infos.length
        listing.stuck = false
        if (isBulk) listing.token = token
        return
      }
      if (until !== undefined) {
        throw new HistoryLost(
        `the node lists nothing between slots ${until.newestSlot} and ${range.oldestSlot}, nor that they touch`,
        unindexed
        )
      }
      listing.whole = true
    }
  }
}
