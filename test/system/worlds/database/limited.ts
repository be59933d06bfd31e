/**
 * A client who asks more than he may, of every process in turn: what they let through together, by the clock's minute.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clients } from './clients.js'
import type { DatabasePlan } from './plan.js'
import type { Process } from './service.js'
import { fail } from './violation.js'

const MINUTE_MS = 60_000
const EVERY_MS = 60
const CLIENT = '198.51.100.7'
/** What was given up may be counted for so long after it was asked: a process stands still for seconds, ms. */
const LATE_MS = 15_000
const TOLD_MS = 500

interface Minute { passed: number, isTorn: boolean, starts: number }

/** Only where the clocks agree, and the counts are shared. */
export const isLimited = ({ redis, processes, events }: DatabasePlan): boolean =>
  redis && processes.every(({ skew }) => skew === 0) && !events.some(
    event => 'clock' in event || ('setting' in event && (event.setting?.skew ?? 0) !== 0)
  )

export interface Limited {
  /** A process has started. */
  started (): void
  /** Counting together has failed somewhere, or works again. */
  torn (): void
  run (signal: AbortSignal): Promise<void>
}

export function createLimited (
  plan: DatabasePlan, processes: readonly Process[], clients: Pick<Clients, 'ask'>
): Limited {
  const minutes = new Map<number, Minute>()
  /** Of each request, until when it may have been counted. */
  const counted: number[] = []
  /** The largest that a process has now, or will have. */
  const limits = [...plan.processes.map(({ limit }) => limit), ...plan.events.flatMap(
    event => 'setting' in event && event.setting?.limit !== undefined ? [event.setting.limit] : []
  )]
  const [most, least] = [Math.max(...limits), Math.min(...limits)]

  function minuteOf (time: number): Minute {
    const number = Math.floor(time / MINUTE_MS)
    const found = minutes.get(number) ?? { passed: 0, isTorn: false, starts: 0 }
    minutes.set(number, found)
    return found
  }

  async function once (process: Process): Promise<void> {
    const before = Date.now()
    const answer = await clients.ask(process, '/', { 'x-forwarded-for': CLIENT })
    const after = Date.now()
    counted.push(answer === undefined ? before + LATE_MS : after)
    if (answer === undefined || Math.floor(before / MINUTE_MS) !== Math.floor(after / MINUTE_MS)) return
    // refused for overload, as right after a pause, which comes before counting
    if (answer.status === 503) return
    const minute = minuteOf(after)
    const begun = Math.floor(after / MINUTE_MS) * MINUTE_MS
    const asked = counted.filter(time => time >= begun).length
    if (answer.status !== 429) minute.passed++
    const { passed } = minute
    if (answer.status === 429 ? asked > least : passed <= most) return
    // that the counts are not shared any more is read from a log, and may be told a moment later than the answer
    await wait(TOLD_MS)
    if (answer.status === 429) {
      if (!minute.isTorn) fail('limit', `${least} requests a minute let through`, `429 to one of ${asked}`)
      return
    }
    // Shares of what was left, and for each that starts without the others the whole
    const allowed = minute.isTorn ? 2 * most + minute.starts * most : most
    if (passed > allowed) {
      fail(
        'limit', `${allowed} requests a minute${minute.isTorn ? ' while the counts are not shared' : ''}`,
        String(passed)
      )
    }
  }

  return {
    started: () => { minuteOf(Date.now()).starts++ },
    torn: () => { minuteOf(Date.now()).isTorn = true },
    async run (signal) {
      for (let turn = 0; !signal.aborted; turn++) {
        await once(processes[turn % processes.length]!)
        await wait(EVERY_MS)
      }
    }
  }
}
