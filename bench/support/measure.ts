/** What benchmarks measure with. */

export const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

/** What `work` gives, CPU time of this process while it runs, and how long that took, ms. */
export async function costOf<T> (work: () => T | Promise<T>): Promise<{ cpu: number, ms: number, value: T }> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1000, ms: performance.now() - begun, value }
}
