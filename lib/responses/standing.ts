/** For how long, and since when by the wall clock, no node has shown a new slot; `halted`: two nodes or more agree on it, so it is the chain that stands. */
export interface Standing { ms: number, since: string, halted: boolean }

/** For how long the chain itself has stood, ms, 0 where it moves: what was true when it came to stand is true for so much longer. */
export const haltedMs = (standing: Standing | undefined): number => standing?.halted === true ? standing.ms : 0

/** What is said of it, in the log and to probes. */
export function standingSentence ({ since, halted }: Standing): string {
  return halted ? `the chain has stood still since ${since}: its nodes agree on the slot` : `the node has stood still since ${since}`
}
