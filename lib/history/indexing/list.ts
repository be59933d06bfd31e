/** Which transactions of an address lie where: lines of its list of signatures, or whole transactions in bulk. */
import type { Moment } from '../../chain/moment.js'
import type { BulkPage, CallOptions, HistoryReader, SignatureInfo } from '../../chain/types.js'
import { isServiceError, ServiceError } from '../../errors.js'
import { checkPageOrder, type UnindexedRange } from '../rules/signature-ranges.js'
import type { Fetcher } from './fetch-transactions.js'

/** Thrown where a node answers as if it no longer knew the past. */
export class HistoryLost extends ServiceError {
  readonly range: UnindexedRange | undefined
  constructor (message: string, range?: UnindexedRange) {
    super('NODE_BAD_ANSWER', message)
    this.range = range
  }
}

/** A place in a list of signatures: what follows it is older. */
export interface Cursor { signature: string, slot: number }

/** Lines of a list, newest first; `token`: where the bulk method goes on. */
export interface Page { infos: SignatureInfo[], token?: string | undefined }

/** What is asked for behind a cursor. `bulk`: the bulk method first, with its own bounds. */
export interface PageQuery {
  limit?: number
  bulk?: { limit: number, token?: string | undefined, fromSlot?: number }
}

/** Lists transactions; of those that the bulk method gives whole, the events are held by the fetcher. */
export function createLister (reader: HistoryReader, fetcher: Fetcher) {
  /** A page of signatures; one that is asked for behind an unknown signature is empty. */
  async function signatures (
    address: string, page: { before?: string, limit?: number, minSlot?: number }, options: CallOptions
  ): Promise<SignatureInfo[]> {
    try {
      return await reader.signatures(address, page, options)
    } catch (error) {
      if (isServiceError(error, 'CURSOR_UNKNOWN')) return []
      throw error
    }
  }

  /**
   * Undefined also where the bulk method fails, as where one transaction of a page can't be read: there is another way.
   * `wanted`: holds these alone.
   */
  async function bulk (
    address: string, page: BulkPage, options: CallOptions, wanted?: ReadonlySet<string>
  ): Promise<Page | undefined> {
    const result = await reader.bulk(address, page, options).catch((error: unknown) => {
      if (isServiceError(error)) return undefined
      throw error
    })
    if (result === undefined) return undefined
    const infos = result.entries.map((tx): SignatureInfo => {
      const { transaction: { signatures: [signature = ''] }, slot, blockTime, transactionIndex } = tx
      const info = { signature, slot, failed: tx.meta.err !== null, blockTime, transactionIndex }
      if (!info.failed && wanted?.has(signature) !== false) fetcher.hold(tx, info)
      return info
    })
    return { infos, token: result.next ?? undefined }
  }

  /** Undefined: no node offers it, or the one that does lists nothing behind the cursor. */
  async function bulkPage (
    address: string, cursor: Cursor | undefined, { token, limit, fromSlot }: NonNullable<PageQuery['bulk']>,
    options: CallOptions
  ): Promise<Page | undefined> {
    const slots = { ...(fromSlot !== undefined && { gte: fromSlot }), ...(cursor && { lte: cursor.slot }) }
    const place = token === undefined ? { slots } : { token }
    const page = await bulk(address, { order: 'desc', limit, ...place }, options)
    const at = token === undefined && cursor !== undefined
      ? page?.infos.findIndex(({ signature }) => signature === cursor.signature)
      : undefined
    if (page === undefined || at === -1) return undefined
    const infos = page.infos.slice((at ?? -1) + 1)
    // At its end the other way has to agree that nothing follows
    return infos.length === 0 ? undefined : { ...page, infos }
  }

  return {
    signatures,
    bulk,

    /** The page behind a cursor, or the newest. Throws NODE_BAD_ANSWER where its order can't be true. */
    async page (
      address: string, cursor: Cursor | undefined, { limit = 1000, bulk }: PageQuery, options: CallOptions
    ): Promise<Page> {
      const found = bulk === undefined ? undefined : await bulkPage(address, cursor, bulk, options)
      // A node that has not come so far lists less than there is, or does not know the cursor
      const place = cursor === undefined ? {} : { before: cursor.signature, minSlot: cursor.slot }
      const page = found ?? { infos: await signatures(address, { limit, ...place }, options) }
      checkPageOrder(page.infos, cursor)
      return page
    }
  }
}

export type Lister = ReturnType<typeof createLister>

/** From where on the first of the nodes has everything; undefined: none tells. */
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
