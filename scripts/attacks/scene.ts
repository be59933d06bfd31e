/** Where attacks are carried out, and what the service says there. */
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { Daos } from '../../schemas/daos.js'
import type { Treasury } from '../../schemas/treasury.js'
import type { Ticker } from '../../schemas/ticker.js'
import type { Moves } from '../../simulator/moves.js'
import { UsageError } from '../command-line.js'

export interface Figures {
  tickers: Ticker[]
  aggregate: AggregateVolume
  daos: Daos
  treasury (dao: string): Promise<Treasury>
  supply (mint: string): Promise<{ status: number, body: Record<string, unknown> }>
}

/** An answer, once the service has one: what it does not know yet it answers with status 503. */
export type Ask = (path: string) => Promise<{ status: number, text: string }>

/** What an answer of status 200 says. Throws a UsageError where it is another. */
export async function readBy<T> (ask: Ask, path: string): Promise<T> {
  const { status, text } = await ask(path)
  if (status !== 200) throw new UsageError(`${path}: ${status} ${text}`)
  return JSON.parse(text) as T
}

/** All that is looked at. */
export async function figuresBy (ask: Ask): Promise<Figures> {
  const read = <T>(path: string): Promise<T> => readBy<T>(ask, path)
  return {
    // first: a service without a history has none, and no sums of days
    aggregate: await read('/api/volume/aggregate'),
    tickers: await read('/api/tickers'),
    daos: await read('/api/daos'),
    treasury: async dao => await read(`/api/daos/${dao}/treasury`),
    async supply (mint) {
      const { status, text } = await ask(`/api/supply/${mint}`)
      return { status, body: JSON.parse(text) as Record<string, unknown> }
    }
  }
}

export interface Scene {
  moves: Moves
  /** The deepest honest pool, before anything is done. */
  deepest: { base: string, quote: string, dao: string, vault: string }
  /** What the service says once it has seen all that was done. */
  look (): Promise<Figures>
  close (): Promise<void>
}
