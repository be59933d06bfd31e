import { endOf } from '../../public/market/format.js'

export { MAX_NAME, MAX_SYMBOL } from '../../public/market/format.js'

/** The text as a list has it: one of more than `most` characters, as a page counts them, counts as none. */
export const listedText = (text: string, most: number): string => endOf(text, most) === undefined ? text : ''
