import { messageOf } from '../../errors.js'
import type { OnLog } from '../log-events.js'
import { backoff } from '../../backoff.js'
import type { Clock } from '../../clock.js'
import { pause } from '../pause.js'

export interface LeaderSession {
  /** Aborted, for what ended it, once the session, and with it the lead, is gone. */
  lost: AbortSignal
  /** Takes the lead where it is free, or shows that its holder lives. Throws when the session is lost. */
  tryToLead (): Promise<boolean>
  /** Gives the lead back. */
  close (): Promise<void>
}

export interface LeaderOptions<S extends LeaderSession> {
  open (): Promise<S>
  /** Begins what one process of all does. Gives what ends it. */
  begin (session: S): Promise<() => Promise<void>>
  /** Whether what was begun is at the head of the chain. */
  isCurrent (): boolean
  /** Why this process must not lead; null: it may. */
  refusal (): string | null
  /** Between two signs of life, or two looks whether the lead is free, ms. */
  heartbeatMs: number
  clock: Clock
  signal: AbortSignal
  onLog: OnLog
}

/** Longest wait before a new session, ms: the lead may be free. */
const MAX_MS = 2000
/** Heartbeats for which who gave the lead back leaves it to the others. */
const LEFT = 3
/** By when who leads has to be at the head, ms; twice as long each time: a stall of finality is one for all. */
const PATIENCE_MS = 60_000

/** Leads whenever the lead is free, until the signal. Never throws. */
export async function runLeaderLoop<S extends LeaderSession> (
  { open, begin, isCurrent, refusal, heartbeatMs, clock, signal, onLog }: LeaderOptions<S>
): Promise<void> {
  /** Sessions in a row that ended before they were of use, and whether it has been told. */
  let failures = 0
  let isTold = false
  let patience = PATIENCE_MS

  /** Gives for how long the lead is left to others, ms. */
  async function keep (session: S): Promise<number> {
    let stop: (() => Promise<void>) | undefined
    /** By when it has to be at the head, ms. */
    let due = Infinity
    try {
      while (!signal.aborted && !session.lost.aborted) {
        if (refusal() !== null) return LEFT * heartbeatMs
        if (await session.tryToLead() && stop === undefined) {
          onLog({ level: 'info', code: 'leadership', message: 'this process writes the history from now on' })
          stop = await begin(session)
          due = clock.now() + patience
        }
        await pause(clock, heartbeatMs, signal, session.lost)
        if (session.lost.aborted) return 0
        failures = 0
        isTold = false
        if (isCurrent()) [due, patience] = [0, PATIENCE_MS]
        else if (clock.now() >= due) {
          // another may reach its nodes, or the database, better
          if (due > 0) patience *= 2
          return LEFT * heartbeatMs
        }
      }
      return 0
    } finally {
      if (stop !== undefined) {
        if (!signal.aborted) {
          const cause = session.lost.aborted
            ? messageOf(session.lost.reason)
            : refusal() ?? 'it is not at the head of the chain'
          const message = `this process has lost the lead (${cause}): another may write the history now`
          onLog({ level: 'warn', code: 'leadership', message })
        }
        await stop()
      }
      await session.close()
    }
  }

  while (!signal.aborted) {
    let left = 0
    try {
      left = await keep(await open())
    } catch (error) {
      const message = `the database: ${messageOf(error)}; tried again until it answers`
      if (!isTold) onLog({ level: 'warn', code: 'retry', message })
      isTold = true
    }
    failures++
    if (!signal.aborted) {
      await pause(clock, left + backoff(failures, clock, { maxMs: MAX_MS }), signal)
    }
  }
}
