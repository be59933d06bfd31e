/** `items` in their order, so many at a time; the last ones may be fewer. */
export function * chunks<T> (items: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
