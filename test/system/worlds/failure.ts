/** What a world says when the service has broken a rule. */

/** When (seconds of simulated time), which rule, what was expected and served. */
export interface Failure { second: number, rule: string, expected: string, served: string }

export class Violation extends Error {
  readonly failure: Failure
  constructor (failure: Failure) {
    super(`${failure.rule}: expected ${failure.expected}, served ${failure.served}`)
    this.failure = failure
  }
}
