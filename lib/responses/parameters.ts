import { parseKey } from '../protocol/pda.js'
import type { Parameter } from '../query.js'

/** From `min` to `max` addresses separated by commas, each once. */
export const addresses = (min: number, max: number): Parameter<string[]> => ({
  expects: `${min} to ${max} addresses separated by commas, each once`,
  read (text) {
    const given = text.length <= max * MAX_ADDRESS ? text.split(',') : []
    return given.length >= min && given.length <= max && new Set(given).size === given.length && given.every(
      one => parseKey(one) !== undefined
    )
      ? given
      : undefined
  }
})
/** Characters of a base58 key and its comma. */
const MAX_ADDRESS = 45

/** One address, which need not be given. */
export const address: Parameter<string | undefined> = {
  expects: 'an address', read: text => parseKey(text) === undefined ? undefined : text, otherwise: { value: undefined }
}
