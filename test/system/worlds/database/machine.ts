/** Deadlines are stated for a machine of which no more than two want each core; on one that is busier everything takes longer in proportion. */
import { availableParallelism, loadavg } from 'node:os'

const WANTED = 2

/** By how much more is allowed now; 1 at least. */
export const patience = (): number => Math.max(1, loadavg()[0]! / availableParallelism() / WANTED)
