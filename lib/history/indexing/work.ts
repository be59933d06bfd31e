import { backoff } from '../../backoff.js'
import { sleepUntil } from '../../clock.js'
import { isServiceError, messageOf } from '../../errors.js'
import type { Context } from './context.js'

/** Recurring work, which gives when its next piece is due, ms by the clock; `failures`: in a row. */
export const createTask = (work: () => Promise<number>) => ({ at: 0, failures: 0, work })

export type Task = ReturnType<typeof createTask>

/** Does the tasks' pieces one at a time, the longest due first. `after`: told of each. */
export function createLane (
  tasks: readonly Task[], { clock, signal, onLog }: Pick<Context, 'clock' | 'signal' | 'onLog'>, after = () => {}
) {
  let wakeUp = () => {}
  const first = () => tasks.reduce((first, task) => task.at < first.at ? task : first)

  async function attempt (task: Task): Promise<void> {
    task.at = Infinity   // `hasten` may set it meanwhile
    try {
      const next = await task.work()
      task.failures = 0
      task.at = Math.min(task.at, next)
    } catch (error) {
      if (signal.aborted) return
      task.failures++
      const isOurs = isServiceError(error)
      // a Retry-After is kept by the client of that node: another may answer before
      const delay = Math.round(backoff(task.failures, clock))
      task.at = clock.now() + delay
      const message = `${messageOf(error)}; tried again in ${delay} ms`
      const detail = { failures: task.failures, ...(!isOurs && { error }) }
      onLog({ level: isOurs ? 'warn' : 'error', code: 'retry', message, detail })
    }
  }

  async function idle (ms: number): Promise<void> {
    const waking = new AbortController()
    wakeUp = () => waking.abort()
    await sleepUntil(clock, ms, AbortSignal.any([waking.signal, signal]))
    wakeUp = () => {}
  }

  return {
    /** Until the signal. Never throws. */
    async run (): Promise<void> {
      while (!signal.aborted) {
        const task = first()
        const ms = task.at - clock.now()
        if (ms > 0) await idle(ms)
        else {
          await attempt(task)
          after()
        }
      }
    },
    /** Nodes answer: what waits after a failure is done now. */
    again (): void {
      // one that is at work would be done twice
      for (const task of tasks) if (task.failures > 0 && task.at < Infinity) task.at = clock.now()
      wakeUp()
    },
    /** Has a task done at `at` at the latest, unless it waits after a failure. */
    hasten (task: Task, at: number): void {
      if (task.failures > 0 || at >= task.at) return
      task.at = at
      wakeUp()
    }
  }
}
