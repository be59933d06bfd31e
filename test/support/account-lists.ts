import type { AccountReader } from '../../lib/chain/accounts.js'
import type { AtMoment, RawAccount } from '../../lib/chain/types.js'

interface ListReader extends Pick<AccountReader, 'programAccounts'> {
  accounts (addresses: readonly string[], minSlot?: number): Promise<AtMoment<Array<RawAccount | null>>>
}

/** A reader that reads each list by itself: all are of the first one's moment. */
export const withLists = (reader: ListReader): AccountReader => ({
  ...reader,
  tokenAccounts: async () => undefined,
  async accounts (lists, minSlot) {
    const read = await Promise.all(lists.map(async list => await reader.accounts(list, minSlot)))
    return { ...read[0]!, value: read.map(({ value }) => value) }
  }
})
