/** The weather of a world: what befalls its nodes, its chain, its clock, its disk and its process, and what ends it. */
import type { FaultKind } from '../../../simulator/index.js'
import { NODE_KINDS } from '../../../simulator/kinds.js'
import { GENESIS } from '../../../simulator/methods.js'
import { burst } from './bursts.js'
import { act } from './chain.js'
import type { Host } from './network.js'
import type { NodeWeather, Plan, WorldEvent } from './plan.js'
import { restart } from './process.js'
import { time, type World } from './scene.js'

/** Weather that the service finds when it starts. */
export const isThere = (event: WorldEvent): boolean =>
  event.at === 0 && ('weather' in event || 'clock' in event || 'clockRate' in event)

/** Nothing is wrong with a node any more; the limits of its kind stay. */
function calm ({ kind }: Plan, host: Host): void {
  const { limits, maxBatch } = NODE_KINDS[kind]
  host.down = false
  host.latencyMs = 50
  host.service.thaw()
  host.service.faults.clear()
  Object.assign(host.service.conditions, {
    finalizedAt: null, limits, maxBatch, software: 'current', genesis: GENESIS, date: 'right', health: 'honest'
  })
}

/** Nothing is wrong with any of them, nor with the disk, nor with the chain's clock. */
export function calmAll ({ plan, ledger, nodes, disk }: World): void {
  if (ledger.utc !== ledger.time) ledger.correctClock()
  for (const host of nodes) calm(plan, host)
  disk.accept()
}

/** Begins a weather of a node; what it returns ends it. */
function begin ({ plan, nodes }: World, at: number, weather: NodeWeather): () => void {
  const host = nodes[at]!
  const { service, latencyMs } = host
  const { conditions } = service
  switch (weather.kind) {
    case 'freeze': {
      const { pace } = weather
      service.freeze()
      return () => pace === undefined ? service.thaw() : service.position.catchUp(pace)
    }
    case 'finality': conditions.finalizedAt = service.methods.slotAt(
      'finalized'
    ); return () => { conditions.finalizedAt = null }
    case 'down': host.down = true; return () => { host.down = false }
    case 'lag': service.position.lag(weather.seconds, weather.pace); return () => service.thaw()
    case 'date': conditions.date = weather.date === 'cached'
      ? { standsAt: service.ledger.utc }
      : weather.date; return () => { conditions.date = 'right' }
    case 'healthy': conditions.health = 'ok'; return () => { conditions.health = 'honest' }
    case 'latency': host.latencyMs = weather.ms; return () => { host.latencyMs = latencyMs }
    case 'older': conditions.software = 'older'; return () => { conditions.software = 'current' }
    case 'limits': {
      const { limits, maxBatch } = NODE_KINDS[weather.node]
      Object.assign(conditions, { limits: weather.unsaid === true ? { ...limits, headers: false } : limits, maxBatch })
      return () => Object.assign(
        conditions, { limits: NODE_KINDS[plan.kind].limits, maxBatch: NODE_KINDS[plan.kind].maxBatch }
      )
    }
    case 'hole': {
      const fault = service.fault({
        kind: 'hole', value: weather.hours.map(hours => service.ledger.time - hours * 3600)
      })
      return () => service.faults.clear(fault)
    }
    case 'fault': {
      const fault = service.fault(weather.rule as { kind: FaultKind })
      return () => service.faults.clear(fault)
    }
  }
}

/**
 * Nobody's transactions for so long; the slots that passed meanwhile were shown to nobody, and from then on what is
 * confirmed is final.
 */
function handOver ({ ledger, nodes }: World, ms: number, slotMs: number): void {
  const before = ledger.slotMs
  ledger.slotMs = null
  setTimeout(() => {
    ledger.slotMs = slotMs
    ledger.skipSlots(Math.floor(ms / (before ?? slotMs)))
    for (const { service: { conditions } } of nodes) conditions.finalityLag = 0
  }, ms)
}

/** Our clock goes wrong by a little each second. */
function driftAway (seconds: number, rate: number): void {
  const timer = setInterval(() => time.step(1000 * rate), 1000)
  setTimeout(() => clearInterval(timer), seconds * 1000)
}

/** Lets an event happen, and end when it is to. */
export async function happen (world: World, event: WorldEvent): Promise<void> {
  const { ledger, truth, disk } = world
  if ('weather' in event) {
    const end = begin(world, event.node, event.weather)
    setTimeout(end, event.for * 1000)
  } else if ('clock' in event) time.step(event.clock)
  else if ('clockRate' in event) driftAway(event.for, event.clockRate)
  else if ('process' in event) await restart(world, event)
  else if ('burst' in event) await burst(world, event.burst)
  else if ('disk' in event) {
    disk.refuse(event.disk)
    setTimeout(() => disk.accept(), event.for * 1000)
  } else if (event.chain === 'halt') {
    const { slotMs } = ledger
    ledger.slotMs = null
    setTimeout(() => { ledger.slotMs = slotMs ?? 200 }, event.for * 1000)
  } else if (event.chain === 'handover') handOver(world, event.for * 1000, event.ms)
  else if (event.chain === 'drift') {
    ledger.clockRate = 1 - event.seconds / event.for
    setTimeout(() => ledger.correctClock(), event.for * 1000)
  } else if (event.chain === 'correct') ledger.correctClock()
  else if (event.chain === 'slots') ledger.slotMs &&= event.ms   // one that has halted has none
  else if (ledger.slotMs !== null) act(world, event.chain)
  truth.note(time.now())
}
