/**
 * Makes a value with the first call and gives that one from then on; where `make` throws, the next call tries again.
 */
export function once<T> (make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
