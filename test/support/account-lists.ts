import type { AccountReader } from '../../lib/chain/types.js'

/**
 * A reader of which all but the reading of several lists is given: each list is read by itself, and all are of the
 * first one's moment.
 */
export const withLists = (reader: Omit<AccountReader, 'accountLists'>): AccountReader => ({
  ...reader,
  async accountLists (lists, minSlot, options) {
    const read = await Promise.all(lists.map(async list => await reader.accounts(list, minSlot, options)))
    return { ...read[0]!, value: read.map(({ value }) => value) }
  }
})
