/** Characters as people see them (grapheme clusters). */
export const MAX_SYMBOL = 32
export const MAX_NAME = 64
/** UTF-16 units of a character on average: letters of any script have fewer, heaps of combining marks more. */
const UNITS = 4

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** As much of the beginning of a text as `most` characters hold. */
function beginningOf (text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  let count = 0
  for (const { segment, index } of segmenter.segment(text)) {
    if (count++ === most || index + segment.length > most * UNITS) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

/** The text as a list has it: one of more than `most` characters counts as none. */
export const listedText = (text: string, most: number): string => beginningOf(text, most) === text ? text : ''

/** The text as a page has it: cut, with an ellipsis, where it is longer than `most` characters. */
export function cutText (text: string, most: number): string {
  const beginning = beginningOf(text, most)
  return beginning === text ? text : `${beginning}…`
}
