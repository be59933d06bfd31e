/** What is wrong in a world, from its beginning to its end. */
import type { FaultKind } from '../../../../simulator/index.js'
import type { Place } from './place.js'
import type { Ill } from './plan.js'
import type { Scene } from './scene.js'
import type { Process } from './service.js'
import { fail } from './violation.js'

const SLOW_NODE_MS = 1_500

export interface Weather {
  /** Begins what is wrong; what it returns ends it. */
  begin (ill: Ill): Promise<() => Promise<void>>
}

export function createWeather (scene: Scene, place: Place, processes: readonly Process[]): Weather {
  const { now, nodes, ledger } = scene
  /** By process: how many things are in the way of its database. */
  const barred = processes.map(() => 0)

  function bar (which: readonly Process[], by: 1 | -1): void {
    for (const process of which) {
      const count = barred[process.index]! += by
      if (count === 0) process.away = undefined
      else process.away ??= now()
    }
  }

  /** Things of one name may be wrong at the same time: the first begins them, the last ends them. */
  const times = new Map<string, number>()
  async function nested (name: string, begin: () => unknown, end: () => unknown): Promise<() => Promise<void>> {
    const count = (by: number): number => times.set(name, (times.get(name) ?? 0) + by).get(name)!
    const beginning = count(1) === 1 ? begin() : undefined
    return async () => {
      await beginning
      if (count(-1) === 0) await end()
    }
  }

  function beginLink (
    link: 'database' | 'counts', { how, process }: Ill & { ill: 'database' | 'redis', how: 'reset' | 'silent' | 'slow' }
  ): () => Promise<void> {
    const which = process === undefined ? processes : [processes[process]!]
    const isAway = link === 'database' && how !== 'slow'
    const ends = which.map(process => process[link]?.begin(how))
    if (isAway) bar(which, 1)
    return async () => {
      for (const end of ends) end?.()
      if (isAway) bar(which, -1)
    }
  }

  /** Killed or told to end, and started again after its time. */
  function beginEnd (ill: Ill & { ill: 'killed' | 'stopped' }): () => Promise<void> {
    const process = processes[ill.process]!
    const { life } = process
    const isOver = life.ending !== undefined
    const ending = isOver ? undefined : ill.ill === 'killed' ? process.kill() : process.stop()
    return async () => {
      // another event has ended it, and starts it
      if (isOver) return
      await ending
      const { ended } = life
      const isRight = ill.ill === 'killed' || ended?.code === 0
      // While it loads nothing listens to signals yet
      if (!isRight && life.url !== undefined) {
        fail(
        `end of process ${process.index}`,
        '0 upon SIGTERM',
        `${ended?.code ?? ended?.signal} after ${Math.round(ended!.at - life.ending!)} ms: ` +
          process.lines().slice(-3).join('\n')
        )
      }
      process.start({ ...process.setting, ...ill.setting })
    }
  }

  async function beginNode (ill: Ill & { ill: 'node' }): Promise<() => Promise<void>> {
    const { node, host } = nodes[ill.node]!
    const name = `${ill.how} ${ill.node}`
    const slow = (ms: number) => { node.latencyMs = host.latencyMs = ms }
    switch (ill.how) {
      case 'down': return await nested(name, async () => {
        host.down = true
        await node.stop()
      }, async () => {
        await node.restart()
        host.down = false
      })
      case 'frozen': return await nested(name, node.freeze, node.thaw)
      case 'slow': return await nested(name, () => slow(SLOW_NODE_MS), () => slow(0))
      case 'fault': {
        const fault = node.fault(ill.rule as { kind: FaultKind })
        return async () => node.faults.clear(fault)
      }
    }
  }

  return {
    async begin (ill) {
      switch (ill.ill) {
        case 'database': return ill.how === 'closed'
          ? await nested('closed', async () => {
            bar(processes, 1)
            await place.shut()
          }, async () => {
            await place.letIn()
            bar(processes, -1)
          })
          : beginLink('database', ill)
        case 'redis': return beginLink('counts', ill)
        case 'paused': {
          const process = processes[ill.process]!
          return await nested(
            `paused ${ill.process}`, process.pause, () => { if (process.life.pausedAt !== undefined) process.goOn() }
          )
        }
        case 'killed':
        case 'stopped': return beginEnd(ill)
        case 'node': return await beginNode(ill)
        case 'halt': return await nested('halt', () => { ledger.slotMs = null }, () => { ledger.slotMs = 200 })
      }
    }
  }
}
