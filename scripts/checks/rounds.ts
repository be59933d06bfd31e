/** Rounds of a check. What is of two moments agrees in one of them. */
const ROUNDS = 5
/** Between the first two, ms; ever longer, since a round may last as long as some refreshes of the service. */
const BETWEEN = 2_000

/** What is told, by a kind that knows it again, in each of some rounds; as it is told in the last one. */
export async function lasting (
  round: () => Promise<ReadonlyMap<string, string>>, pause: (ms: number) => Promise<unknown>, rounds = ROUNDS
): Promise<ReadonlyMap<string, string>> {
  let found = await round()
  for (let next = 1; next < rounds && found.size > 0; next++) {
    await pause(next * BETWEEN)
    const before = found
    found = new Map([...await round()].filter(([kind]) => before.has(kind)))
  }
  return found
}
