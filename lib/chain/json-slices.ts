import { createPauses } from '../async.js'

/** Parsing JSON of many megabytes, a piece at a time: `JSON.parse` takes about 1 ms a megabyte, and an answer may have hundreds of them. */

/** Shorter texts are parsed at once, in about 10 ms at most: in slices it may take half as much again. */
const LARGE_BYTES = 2 ** 23
/** How much is parsed at a time: far less than 1 ms, and as much as costs least. */
const PIECE_BYTES = 2 ** 16
/** Where a list of records is likely to go from one to the next; the comma belongs to the list. */
const BETWEEN_RECORDS = Buffer.from('},{')
/** How far such a place is looked for, so that looking takes no longer than parsing: records that are longer are found byte by byte. */
const FAR_BYTES = 2 ** 20
/** A string that goes on beyond so many bytes is searched for its end by the platform: for a short one the call costs more than looking at each byte. */
const SHORT_STRING = 64

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_RECORD, CLOSE_RECORD] = Buffer.from('"\\,[]{}') as unknown as [number, number, number, number, number, number, number]

export interface JsonSlicesOptions {
  /** Ends the parsing between two pieces; its reason is thrown. */
  signal?: AbortSignal
  /** Told of each element of the long list as soon as it is parsed, to make less of what is large in it. What comes may not have been told: a text may be parsed at once, after all. */
  onElement?: (element: unknown) => void
  largeBytes?: number
  pieceBytes?: number
}

/**
 * What `JSON.parse` gives for the text, and the same SyntaxError where it is none. Of a large text the elements of its first list, which in a node's
 * answer is the long one, are parsed some at a time, with the event loop let go between where all together would hold it too long.
 */
export async function parseJsonInSlices (bytes: Buffer, { signal, onElement = () => {}, largeBytes = LARGE_BYTES, pieceBytes = PIECE_BYTES }: JsonSlicesOptions = {}): Promise<unknown> {
  const whole = (): unknown => JSON.parse(bytes.toString())
  const start = bytes.length < largeBytes ? -1 : firstList(bytes)
  if (start === -1) return whole()
  const pause = createPauses()
  const elements: unknown[] = []
  let from = start + 1

  /** Takes the elements from `from` up to `end`; a text without any stands only between the brackets of an empty list. */
  function take (end: number, mayBeEmpty: boolean): void {
    const piece = JSON.parse(inBrackets(bytes, from, end)) as unknown[]
    if (piece.length === 0 && !mayBeEmpty) throw new SyntaxError('a list with a comma too many')
    for (const element of piece) {
      onElement(element)
      elements.push(element)
    }
    from = end + 1
  }

  async function letOthers (): Promise<void> {
    const wait = pause()
    if (wait !== undefined) await wait
    signal?.throwIfAborted()
  }

  // A list of records is cut where one is likely to end. It does where what is cut off is JSON: the next character is read only then.
  for (let end = endOfRecord(bytes, from, pieceBytes); end !== -1; end = endOfRecord(bytes, from, pieceBytes)) {
    try {
      take(end, false)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      break
    }
    await letOthers()
  }
  // what is left is looked through
  let [depth, at] = [1, from]
  for (; depth > 0; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new SyntaxError('a list without an end')
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
    } else if (byte === OPEN_LIST || byte === OPEN_RECORD) {
      depth++
    } else if (byte === CLOSE_LIST || byte === CLOSE_RECORD) {
      if (--depth === 0) break
    } else if (byte === COMMA && depth === 1 && at - from >= pieceBytes) {
      take(at, false)
      await letOthers()
    }
  }
  take(at, from === start + 1)
  if (bytes[at] !== CLOSE_LIST) throw new SyntaxError('a list with the end of a record')
  // What is left must be JSON with any list in the place of this one. A mark that stands nowhere else, where nothing is escaped, finds it again.
  const [head, tail] = [bytes.subarray(0, start), bytes.subarray(at + 1)]
  if (head.length + tail.length >= LARGE_BYTES || head.includes(BACKSLASH) || tail.includes(BACKSLASH)) return whole()
  // longer than both
  const mark = '.'.repeat(head.length + tail.length + 1)
  return JSON.parse(`${head.toString()}["${mark}"]${tail.toString()}`, (_key, value: unknown) => Array.isArray(value) && value[0] === mark ? elements : value)
}

/** The text from `from` up to `end` as a list. Neither is the edge of the bytes, which have the brackets for as long as the text is made: without them it is not made twice. */
function inBrackets (bytes: Buffer, from: number, end: number): string {
  const [before, after] = [bytes[from - 1]!, bytes[end]!]
  bytes[from - 1] = OPEN_LIST
  bytes[end] = CLOSE_LIST
  const text = bytes.toString('utf8', from - 1, end + 1)
  bytes[from - 1] = before
  bytes[end] = after
  return text
}

/** Where, some `pieceBytes` from `from` on or else as far as may be, a record seems to end and another to begin; -1 where none does nearby. */
function endOfRecord (bytes: Buffer, from: number, pieceBytes: number): number {
  const near = bytes.subarray(from, from + pieceBytes + FAR_BYTES)
  const next = near.indexOf(BETWEEN_RECORDS, pieceBytes)
  const at = next === -1 ? near.lastIndexOf(BETWEEN_RECORDS) : next
  return at === -1 ? -1 : from + at + 1
}

/** Where the first list of the text begins; -1 where there is none. */
function firstList (bytes: Buffer): number {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === OPEN_LIST) return at
    if (bytes[at] === QUOTE) at = endOfString(bytes, at)
  }
  return -1
}

/** The closing quote of the string that opens at `start`. Throws a SyntaxError where there is none. */
function endOfString (bytes: Buffer, start: number): number {
  let at = start + 1
  for (const short = Math.min(at + SHORT_STRING, bytes.length); at < short; at++) {
    if (bytes[at] === QUOTE) return at
    if (bytes[at] === BACKSLASH) at++
  }
  for (;;) {
    const end = bytes.indexOf(QUOTE, at)
    if (end === -1) throw new SyntaxError('a string without an end')
    let escapes = 0
    while (end - escapes > at && bytes[end - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
    at = end + 1
  }
}
