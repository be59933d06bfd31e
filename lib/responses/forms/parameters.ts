import { integer, type Parameter } from '../../query.js'
import { isTickerId } from '../../market/ticker.js'
import { ServiceError } from '../../errors.js'
import { parseKey } from '../../protocol/pda.js'

const MAX_DEPTH = 500
export const depth = (otherwise: number): Parameter<number> => integer({ max: MAX_DEPTH, otherwise })

/** Throws INVALID_TICKER_ID. */
export const tickerId: Parameter<string> = {
  expects: 'base mint, underscore, quote mint',
  read (text) {
    if (!isTickerId(text)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
    return text
  }
}

/** Throws INVALID_POOL_ID, as above. */
export const poolId: Parameter<string> = {
  expects: 'the address of a pool',
  read (text) {
    if (parseKey(text) === undefined) throw new ServiceError('INVALID_POOL_ID', 'no address')
    return text
  }
}
