/** Worlds on one database that once failed, each with the sentence of what it found. */
import type { DatabasePlan } from './plan.js'

export const KEPT: Array<{ found: string, plan: DatabasePlan }> = [
  {
    found: 'The database fell silent, and processes that were told to end were ended by force after 9.5 s, ' +
      'with status 1.',
    plan: {
      seed: 901,
      processes: [
        { role: 'all', basis: 'input', limit: 30, skew: 0 }, { role: 'all', basis: 'input', limit: 30, skew: 0 }
      ],
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      daos: 3,
      past: { days: 1, swaps: 50 },
      stale: 3,
      redis: true,
      up: true,
      weather: 22,
      every: 0.3,
      events: [
        { at: 6, for: 15, ill: 'database', how: 'silent' }, { at: 8, for: 11, ill: 'stopped', process: 0 },
        { at: 10, for: 10, ill: 'stopped', process: 1 }
      ]
    }
  }
]
