import type { Moment } from '../../chain/moment.js'
import type { HistoryReader } from '../../chain/types.js'
import { isServiceError } from '../../errors.js'

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
