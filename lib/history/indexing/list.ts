/** Which transactions of an address lie where: signatures, or whole transactions in bulk. */
import type { Moment } from '../../chain/moment.js'
import type { CallOptions, HistoryReader, SignatureInfo, SignaturePage } from '../../chain/types.js'
import { isServiceError, ServiceError } from '../../errors.js'
import { above, checkPageOrder, type UnindexedRange } from '../rules/signature-ranges.js'
import type { Context } from './context.js'
import type { Page } from './fetch.js'

/** Thrown where a node answers as if it no longer knew the past. */
export class HistoryLost extends ServiceError {
  readonly range: UnindexedRange
  constructor (message: string, range: UnindexedRange) {
    super('NODE_BAD_ANSWER', message)
    this.range = range
  }
}

/** A place in a list of signatures: what follows it is older. */
export interface Cursor { signature: string, slot: number }

export interface BulkQuery { limit: number, token?: string | undefined, fromSlot?: number }

type Lister = Pick<Context, 'reader' | 'fetcher'>

/** What lies behind a cursor, or the newest; empty behind an unknown one. Throws NODE_BAD_ANSWER for a false order. */
export async function listSignatures (
  { reader }: Lister, address: string, cursor: Cursor | undefined, page: Omit<SignaturePage, 'before'>,
  options: CallOptions
): Promise<SignatureInfo[]> {
  const before = cursor === undefined ? {} : { before: cursor.signature }
  const infos = await reader.signatures(address, { ...page, ...before }, options).catch((error: unknown) => {
    if (isServiceError(error, 'CURSOR_UNKNOWN')) return []
    throw error
  })
  checkPageOrder(infos, cursor)
  return infos
}

/** By the bulk method; undefined: no node offers it, or it lists nothing behind the cursor. */
export async function bulkPage (
  { fetcher }: Lister, address: string, cursor: Cursor | undefined, { token, limit, fromSlot }: BulkQuery,
  options: CallOptions
): Promise<Page | undefined> {
  const slots = { ...(fromSlot !== undefined && { gte: fromSlot }), ...(cursor && { lte: cursor.slot }) }
  const place = token === undefined ? { slots } : { token }
  const page = await fetcher.bulk(address, { order: 'desc', limit, ...place }, options)
  const at = token === undefined && cursor !== undefined
    ? page?.infos.findIndex(({ signature }) => signature === cursor.signature)
    : undefined
  if (page === undefined || at === -1) return undefined
  const infos = page.infos.slice((at ?? -1) + 1)
  checkPageOrder(infos, cursor)
  // At its end the other way has to agree that nothing follows
  return infos.length === 0 ? undefined : { ...page, infos }
}

/** What is listed below an indexed range, in memory only: after a stop it is listed anew. */
export interface Listing {
  /** The signature that the entries follow. */
  after: Cursor
  anchor: string | null
  entries: SignatureInfo[]
  /** Down to the indexed range below, or to the node's beginning. */
  whole: boolean
  /** Nothing more could be listed: asked again once the entries are processed. */
  stuck: boolean
  /** Where the bulk method goes on. */
  token?: string | undefined
}

const DEADLINE_MS = 20_000

/** Lists what lies below the indexed ranges, page by page. */
export function createListings (context: Context, pageSize: number) {
  const { program, signal } = context
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

  async function pageAfter (listing: Listing, range: UnindexedRange, isBulk: boolean): Promise<Page> {
    const [cursor, limit, { token }, call] = [endOf(listing), pageSize, listing, callOf(range)]
    // a node that has not come so far lists less than there is, or does not know the cursor
    const minSlot = cursor.slot
    const found = isBulk ? await bulkPage(context, program, cursor, { limit, token }, call) : undefined
    return found ?? { infos: await listSignatures(context, program, cursor, { limit, minSlot }, call) }
  }

  /**
   * What follows an empty page, seen from the entry above its cursor: a node that lost the cursor answers like one at
   * its beginning. Undefined: it does not know that place.
   */
  async function behind (listing: Listing, range: UnindexedRange): Promise<SignatureInfo[] | undefined> {
    const { signature, slot, anchor } = endOf(listing)
    const above = anchor === null ? undefined : { signature: anchor, slot: Infinity }
    const page = await listSignatures(context, program, above, { limit: pageSize, minSlot: slot }, callOf(range))
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

    /** Adds a page. Throws HistoryLost where something has to follow, or the cursor is unknown. */
    async extend (listing: Listing, range: UnindexedRange, isBulk: boolean): Promise<void> {
      const { until, above: upper } = range
      const asked = pageAfter(listing, range, isBulk)
      listing.token = undefined   // one that fails is not used again
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

/** Where the first of the nodes begins; undefined: none tells. */
export async function firstAvailable (
  reader: Pick<HistoryReader, 'firstAvailableBlocks' | 'blockTime'>
): Promise<Moment | undefined> {
  const blocks = await reader.firstAvailableBlocks({ priority: 'head' })
  if (blocks.length === 0) return undefined
  const slot = Math.min(...blocks)
  try {
    const time = await reader.blockTime(slot, { priority: 'head' })
    return time === null ? undefined : { slot, time }
  } catch (error) {
    // the loss is then stated as wide as what is listed shows it
    if (isServiceError(error)) return undefined
    throw error
  }
}
