/** Worlds of the cluster and the program as they are in November 2026. */
import type { Plan } from './plan.js'

export const KEPT_CLUSTER: Array<{ found: string, plan: Plan }> = [
  {
    found: 'Transactions that were never executed, and a bulk method that gives a hundred at most: no gap, no fault, no trade.',
    plan: {
      seed: 5046,
      nodes: 2,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 350 },
      weather: 200,
      every: 2,
      events: [{ at: 40, chain: 'burst' }, { at: 90, for: 40, node: 0, weather: { kind: 'down' } }]
    }
  },
  {
    found: 'Events of unknown kinds before and after a release in which events have grown: judged by the account, no DAO stays out.',
    plan: {
      seed: 5003,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 2, swaps: 60 },
      weather: 200,
      every: 8,
      events: [
        { at: 30, chain: 'unknown' }, { at: 50, chain: 'upgrade' }, { at: 60, chain: 'unknown' },
        { at: 80, chain: 'launch' },
        { at: 100, chain: 'unknown' }, { at: 120, chain: 'finalize' }, { at: 199, chain: 'unknown' }
      ]
    }
  }
]
