import type { AccountReader } from '../../lib/chain/types.js'

/** A reader of which all but the reading of several lists is given: each list is read by itself. */
export const withLists = (reader: Omit<AccountReader, 'accountLists'>): AccountReader => ({
  ...reader,
  accountLists: async (lists, minSlot, options) => await Promise.all(lists.map(async list => await reader.accounts(list, minSlot, options)))
})
