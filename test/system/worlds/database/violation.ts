/** What ends a world: a rule that was broken, and when. */
export interface Failure { second: number, rule: string, expected: string, served: string }

export class Violation extends Error {
  readonly rule: string
  readonly expected: string
  readonly served: string
  constructor (rule: string, expected: string, served: string) {
    super(`${rule}: expected ${expected}, served ${served}`)
    this.name = 'Violation'
    this.rule = rule
    this.expected = expected
    this.served = served
  }
}

export function fail (rule: string, expected: string, served: string): never {
  throw new Violation(rule, expected, served)
}
