/**
 * Options of an LRUCache of at most `most` entries that takes memory only for those that are there: `max` would reserve
 * the room of all at once, of a hundred thousand 2.8 MB.
 */
export const upTo = (most: number) => ({ maxSize: most, sizeCalculation: () => 1 })
