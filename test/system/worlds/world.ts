/**
 * Runs one world: chain, nodes, weather, clients and the service in one process and simulated time, holding every
 * answer against the ledger.
 */
import { rmSync } from 'node:fs'
import { swapSomewhere } from './chain.js'
import { look } from './clients.js'
import { Violation } from './failure.js'
import { fairWeather } from './fair.js'
import type { Plan } from './plan.js'
import { startService, stopService } from './process.js'
import { createWorld, type Outcome, time, type World } from './scene.js'
import { calmAll, happen, isThere } from './weather.js'
import { isDoubtful } from './witnesses.js'

export type { Failure } from './failure.js'
export type { Outcome } from './scene.js'

let isWarm = false

/** Loads every module once: the first start would otherwise take longer, and roll more dice, than the others. */
async function warmUp (plan: Plan): Promise<void> {
  if (isWarm) return
  isWarm = true
  await runWorld({ ...plan, events: [], weather: 20, past: { days: 1, swaps: 5 } })
}

export async function runWorld (plan: Plan): Promise<Outcome> {
  await warmUp(plan)
  const world = createWorld(plan)
  const { nodes, subscriptions, outcome, folder } = world
  try {
    for (const event of plan.events) if (isThere(event)) await happen(world, event)
    await startService(world)
    await live(world)
    await fairWeather(world)
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const { failure } = error
    outcome[isDoubtful(failure.rule, time.now() - world.doubtedAt) ? 'doubtful' : 'failure'] = failure
  } finally {
    calmAll(world)
    await stopService(world)
    subscriptions.close()
    for (const { service } of nodes) outcome.calls += service.limiter.total
    rmSync(folder, { recursive: true, force: true })
  }
  outcome.seconds = time.now() / 1000
  return outcome
}

/** The weather, with swaps and looks between its events. */
async function live (world: World): Promise<void> {
  const { plan, ledger, truth, random, chance } = world
  const events = plan.events.filter(event => !isThere(event))
  let nextSwap = 0
  let nextLook = 3000
  const begun = time.now()
  while (time.now() - begun < plan.weather * 1000) {
    const elapsed = time.now() - begun
    const due = Math.min(nextSwap, nextLook, (events[0]?.at ?? Infinity) * 1000, plan.weather * 1000)
    if (due > elapsed) await time.advance(due - elapsed)
    while (events.length > 0 && events[0]!.at * 1000 <= time.now() - begun) await happen(world, events.shift()!)
    if (nextSwap <= time.now() - begun) {
      nextSwap = time.now() - begun + chance.next() * 2000 * plan.every
      if (ledger.slotMs !== null) swapSomewhere(ledger, random)
      truth.note(time.now())
    }
    if (nextLook <= time.now() - begun) {
      await look(world)
      nextLook = time.now() - begun + 2000 + chance.next() * 25_000
    }
  }
}
