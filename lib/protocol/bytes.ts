/** Reads untrusted bytes: every length is checked before anything is read or allocated. */

/** Bytes that are not what their owner and discriminator promise. The reason is short and goes into reports. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** Throws a DecodeError unless `data` holds `length` bytes from `offset` on. */
export function need (data: Buffer, offset: number, length: number, what: string): void {
  if (offset < 0 || offset + length > data.length) throw new DecodeError(`${what}: ${data.length} bytes are too few`)
}

/**
 * Bounds a Borsh Vec at `offset`, whose count Anchor believes: 2^28 would exhaust the heap. Gives the count. Throws a
 * DecodeError where that exceeds `most` or the bytes that follow.
 */
export function boundVec (data: Buffer, offset: number, itemBytes: number, most: number, what: string): number {
  need(data, offset, 4, what)
  const count = data.readUInt32LE(offset)
  if (count > most) throw new DecodeError(`${what}: a count of ${count}, at most ${most} can be`)
  need(data, offset + 4, count * itemBytes, what)
  return count
}

/** Little-endian. */
export const u128 = (data: Buffer, at: number) => data.readBigUInt64LE(at) | data.readBigUInt64LE(at + 8) << 64n

/** Untrusted text: cut at the first NUL, control and formatting characters dropped, blanks trimmed. */
export function cleanText (bytes: Buffer): string {
  const end = bytes.indexOf(0)
  const text = bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\ufffd]/gu, '').trim()
}
