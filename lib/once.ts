/** Gives what `make` made at the first call; where it throws, the next call tries again. */
export function once<T> (make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
