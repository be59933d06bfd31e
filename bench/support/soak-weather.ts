/** What happens to the node of a long run: faults, limits, and connections that end. */
import type { FaultRule, SimulatedNode } from '../../simulator/index.js'
import type { Limits } from '../../simulator/limits.js'
import type { Random } from '../../simulator/random.js'

const FAULTS: FaultRule[] = [
  { kind: 'refuse' }, { kind: 'reset' }, { kind: 'hang' }, { kind: 'status' }, { kind: 'rate-limit', value: 1 },
  { kind: 'html' }, { kind: 'truncated' },
  { kind: 'wrong-id' }, { kind: 'missing-field' }, { kind: 'wrong-owner', method: 'getProgramAccounts' },
  { kind: 'swapped-accounts', method: 'getProgramAccounts' },
  { kind: 'batch-partial' }, { kind: 'inner-null' }, { kind: 'null-transaction' }
]

/** Enough to keep up, and not enough for as much as one likes; each says no in another way. */
const LIMITS: Limits[] = [
  { rules: [{ calls: 60, windowMs: 1000 }], refusal: 'http-429', retryAfter: 'left', headers: true, batch: 'whole' },
  {
    rules: [{ calls: 400, windowMs: 10_000 }, { each: true, calls: 150, windowMs: 10_000 }],
    refusal: 'http-429',
    retryAfter: null,
    headers: false,
    batch: 'member'
  },
  { rules: [{ calls: 50, windowMs: 1000 }], refusal: -32429, retryAfter: null, headers: false, batch: 'member' }
]

/** One look at the sky, once a step. */
export function changeWeather (node: SimulatedNode, random: Random): void {
  if (random.int(20) === 0) node.fault({ ...FAULTS[random.int(FAULTS.length)]!, times: 1 + random.int(40) })
  if (random.int(3) === 0) node.faults.clear()
  if (random.int(40) === 0) node.ws.drop()
  if (random.int(120) === 0) {
    node.conditions.limits = node.conditions.limits === null
      ? LIMITS[random.int(LIMITS.length)]!
      : null
  }
}

export function clearWeather (node: SimulatedNode): void {
  node.faults.clear()
  node.conditions.limits = null
}
