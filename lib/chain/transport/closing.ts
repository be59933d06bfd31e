import type { Fetch } from '../types.js'
import { underSignals } from './signals.js'

/** Ends every call, running or new, with the reason of `closing` once that aborts. */
export function withClosing (fetch: Fetch, closing: AbortSignal): Fetch {
  return (input, init) => underSignals([closing, init?.signal], ({ signal }) => fetch(input, { ...init, signal }))
}
