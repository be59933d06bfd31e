/** For how long, and since when by the wall clock, no node has shown a new slot; `halted`: two nodes or more agree on it, so it is the chain that stands. */
export interface Standing { ms: number, since: string, halted: boolean }

/** What is said of it, in the log and to probes. */
export function standingSentence ({ since, halted }: Standing): string {
  return halted ? `the chain has stood still since ${since}: its nodes agree on the slot` : `the node has stood still since ${since}`
}
