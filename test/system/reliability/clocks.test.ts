/**
 * Clocks that step and a chain that stands, with the whole service in simulated time: every answer is held against the
 * ledger, and in the end all is there.
 */
import { test } from 'tap'
import type { Plan } from '../worlds/plan.js'
import { runWorld } from '../worlds/world.js'

const HOUR = 3_600_000
const base: Plan = {
  seed: 4,
  nodes: 1,
  finalityLag: 32,
  bulk: false,
  kind: 'own',
  daos: 4,
  past: { days: 1, swaps: 60 },
  weather: 240,
  every: 3,
  events: []
}

const WORLDS: Array<{ name: string, plan: Plan, served: number }> = [
  {
    name: 'the wall clock is set back by an hour while trading goes on',
    plan: { ...base, events: [{ at: 60, clock: -HOUR }] },
    served: 0.95
  },
  {
    name: 'the wall clock is set forward by an hour while trading goes on',
    plan: { ...base, events: [{ at: 60, clock: HOUR }] },
    served: 0.95
  },
  {
    name: 'the chain halts for two minutes, as both nodes show',
    plan: { ...base, nodes: 2, events: [{ at: 60, for: 120, chain: 'halt' }] },
    served: 0.95
  }
]

for (const { name, plan, served } of WORLDS) {
  test(name, async t => {
    const outcome = await runWorld(plan)
    t.equal(outcome.failure, undefined)
    t.ok(outcome.served > served * outcome.answers, `${outcome.served} of ${outcome.answers} answers are 200`)
  })
}
