/** Characters as people see them (grapheme clusters). */
export const MAX_SYMBOL = 32
export const MAX_NAME = 64
/** UTF-16 units of a character on average: letters of any script have fewer, heaps of combining marks more. */
const UNITS = 4

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text as a list has it: one of more than `most` characters counts as none. */
export function listedText (text: string, most: number): string {
  if (text.length <= most) return text
  let count = 0
  for (const { segment, index } of segmenter.segment(text)) {
    if (count++ === most || index + segment.length > most * UNITS) return ''
  }
  return text
}
