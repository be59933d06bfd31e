import { integer, type Parameter } from '../../query.js'
import { isTickerId } from '../../market/ticker.js'
import { ServiceError } from '../../errors.js'

/** Parameters that several forms share. */

const MAX_DEPTH = 500
export const depth = (otherwise: number): Parameter<number> => integer({ max: MAX_DEPTH, otherwise })

/** Throws INVALID_TICKER_ID, whose sentence is the one of the contract, for a malformed one. */
export const tickerId: Parameter<string> = {
  expects: 'base mint, underscore, quote mint',
  read (text) {
    if (!isTickerId(text)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
    return text
  }
}
