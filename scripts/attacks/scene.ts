/** Where attacks are carried out, and what the service says there. */
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { Daos } from '../../schemas/daos.js'
import type { Treasury } from '../../schemas/treasury.js'
import type { Ticker } from '../../schemas/ticker.js'
import type { Moves } from '../../simulator/moves.js'

export interface Figures {
  tickers: Ticker[]
  aggregate: AggregateVolume
  daos: Daos
  treasury (dao: string): Promise<Treasury>
  supply (mint: string): Promise<{ status: number, body: Record<string, unknown> }>
}

export interface Scene {
  moves: Moves
  /** The deepest honest pool, before anything is done. */
  deepest: { base: string, quote: string, dao: string, vault: string }
  /** What the service says once it has seen all that was done. */
  look (): Promise<Figures>
  close (): Promise<void>
}
