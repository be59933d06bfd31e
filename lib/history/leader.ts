import type { OnFact } from './facts.js'
import { backoff, type Sleep } from './pause.js'

/** A session that may hold the lead, whatever keeps it. */
export interface LeadSession {
  /** Aborted once the session is gone, and with it the lead. */
  lost: AbortSignal
  /** Takes the lead where it is free, or shows that its holder is alive. Throws when the session is lost. */
  lead (): Promise<boolean>
  /** Shows that the session is alive without asking for the lead. Throws when it is lost. */
  beat (): Promise<void>
  /** Gives the lead back. */
  close (): Promise<void>
}

/** What the leader does; `stop` waits until it has ended. */
export interface Term { stop (): Promise<void> }

export interface LeaderOptions<S extends LeadSession> {
  open (): Promise<S>
  /** Begins what one process of all does. */
  begin (session: S): Promise<Term>
  /** False: the session is kept for what it hears, and never leads. */
  competes: boolean
  /** Between two signs of life, or two looks whether the lead is free, ms. */
  beatMs: number
  sleep: Sleep
  signal: AbortSignal
  onFact: OnFact
}

/** Longest wait before a lost session is opened anew, ms: the lead may be free. */
const MOST_MS = 2000

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error)

/** Keeps a session, and leads whenever the lead is free; resolves after the signal, when all has ended. Never throws. */
export async function keepLead<S extends LeadSession> ({ open, begin, competes, beatMs, sleep, signal, onFact }: LeaderOptions<S>): Promise<void> {
  async function keep (session: S): Promise<void> {
    const ending = new AbortController()
    const end = () => ending.abort()
    for (const either of [signal, session.lost]) either.addEventListener('abort', end, { once: true })
    let term: Term | undefined
    try {
      while (!signal.aborted && !session.lost.aborted) {
        if (!competes) await session.beat()
        else if (await session.lead() && term === undefined) {
          onFact({ level: 'info', code: 'lead', message: 'this process writes the history from now on' })
          term = await begin(session)
        }
        await sleep(beatMs, ending.signal)
      }
    } finally {
      signal.removeEventListener('abort', end)
      if (term !== undefined) {
        if (!signal.aborted) onFact({ level: 'warn', code: 'lead', message: 'this process has lost the lead: another may write the history now' })
        await term.stop()
      }
      await session.close()
    }
  }

  for (let failures = 0; !signal.aborted;) {
    try {
      const session = await open()
      failures = 0
      await keep(session)
    } catch (error) {
      if (failures === 0) onFact({ level: 'warn', code: 'retry', message: `the database: ${messageOf(error)}; tried again until it answers` })
      failures++
    }
    if (!signal.aborted) await sleep(Math.min(backoff(failures), MOST_MS), signal)
  }
}
