import type { CallOptions, Cursor, SignatureInfo, SignaturePage } from '../../chain/types.js'
import { orUnknown, ServiceError } from '../../errors.js'
import { above, extend, type UnindexedRange } from '../rules/signature-ranges.js'
import type { Context } from './context.js'

/** A page behind a cursor, or the newest; empty behind an unknown cursor. */
export const listSignatures = async (
  { reader }: Pick<Context, 'reader'>, address: string, page: SignaturePage, options: CallOptions
): Promise<SignatureInfo[]> => await orUnknown(reader.signatures(address, page, options), 'CURSOR_UNKNOWN') ?? []

/** What is listed below an indexed range and not stored yet. */
interface Listing {
  entries: SignatureInfo[]
  /** All down to the indexed range below, or to the node's beginning. */
  whole: boolean
  /** The cursor is unknown: first the entries are stored. */
  stuck: boolean
}

export function createListings (context: Context, pageSize: number) {
  const { program, signal } = context
  /** By the newest signature of the range below. */
  const listings = new Map<string | undefined, Listing>()

  /**
   * The page after the end of a list. An empty one is asked for again from the entry above: a node that lost the cursor
   * answers like one at its beginning. Throws CURSOR_UNKNOWN where it has.
   */
  async function pageAfter ({ entries }: Listing, range: UnindexedRange): Promise<SignatureInfo[]> {
    const { oldest: signature, oldestSlot: slot, anchor } = extend(range.above, entries)
    // `minSlot`: a node that lags lists less; a page, which a thousand transactions wait for, comes before the past
    const list = (before: Cursor | undefined) => listSignatures(
      context, program, { before, limit: pageSize, minSlot: slot },
      { priority: range.until === undefined ? 'day' : 'head', signal }
    )
    const found = await list({ signature, slot })
    if (found.length > 0) return found
    const page = await list(anchor === null ? undefined : { signature: anchor, slot: Infinity })
    const at = page.findIndex(entry => entry.signature === signature)
    if (at >= 0) return page.slice(at + 1)
    const older = page.filter(entry => entry.slot < slot)
    if (older.length > 0) return older
    throw new ServiceError('CURSOR_UNKNOWN', `the node no longer knows the signature ${signature} of slot ${slot}`)
  }

  return {
    of ({ until }: Pick<UnindexedRange, 'until'>): Listing {
      const listing = listings.get(until?.newest) ?? { entries: [], whole: false, stuck: false }
      listings.set(until?.newest, listing)
      return listing
    },

    drop: ({ until }: UnindexedRange) => listings.delete(until?.newest),

    /** Adds a page. Throws CURSOR_UNKNOWN, also where something has to follow and nothing does. */
    async extend (listing: Listing, range: UnindexedRange): Promise<void> {
      const { until, above: upper } = range
      const infos = await pageAfter(listing, range)
      if (infos.length === 0 && until !== undefined) {
        const between = `between slots ${until.newestSlot} and ${upper.oldestSlot}`
        throw new ServiceError('CURSOR_UNKNOWN', `the node lists nothing ${between}, nor that they touch`)
      }
      const entries = above(infos, until)
      listing.entries = [...listing.entries, ...entries]
      listing.whole = infos.length === 0 || entries.length < infos.length
      listing.stuck = false
    }
  }
}
