/**
 * Long texts as bytes, made as their parts come: as one text they would be made, joined and turned into bytes in one
 * piece of work each.
 */

export interface TextBytes {
  add (part: string): void
  /** The bytes of all parts, one after the other. */
  bytes (): Buffer
}

/** Texts are gathered up to so many characters: each turned into bytes by itself would cost more. */
const GATHERED = 2 ** 16

export function createTextBytes (): TextBytes {
  const done: Buffer[] = []
  let gathered = ''
  function turn (): void {
    if (gathered !== '') done.push(Buffer.from(gathered))
    gathered = ''
  }
  return {
    add (part) {
      gathered += part
      if (gathered.length >= GATHERED) turn()
    },
    bytes () {
      turn()
      return done.length === 1 ? done[0]! : Buffer.concat(done)
    }
  }
}
