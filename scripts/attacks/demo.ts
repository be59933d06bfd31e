import { systemClock } from '../../lib/clock.js'
import type { Treasury } from '../../schemas/treasury.js'
import type { Ticker } from '../../schemas/ticker.js'
import { sendMoves } from '../../simulator/moves.js'
import { UsageError } from '../command-line.js'
import { type Ask, figuresBy, readBy, type Scene } from './scene.js'

/** Between two looks: a client has 60 requests a minute. */
const LOOK_MS = 3_000
const TRIES = 60

/**
 * The running demo: the service at `url`, asked as anyone asks it, before the chain that takes moves at `chain`. Throws
 * a UsageError where one of them does not answer.
 */
export async function openDemo (url: URL, chain: URL): Promise<Scene> {
  const nobodyAt = ({ origin }: URL) => (cause: unknown): never => {
    throw new UsageError(`nobody answers at ${origin}`, { cause })
  }
  // no move: only whether it is there
  await fetch(chain, { method: 'POST', body: '[]' }).catch(nobodyAt(chain))
  let moved = 0
  const moves = sendMoves(chain.href, time => { moved = time })

  /** The answer; where the limit is met, or it is not there yet as it is after the last move, once it is. */
  const ask: Ask = async path => {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(new URL(path, url)).catch(nobodyAt(url))
      const { status, headers } = answer
      const isOfBefore = Date.parse(headers.get('x-chain-time') ?? '') <= moved * 1000
      if (![429, 503].includes(status) && !isOfBefore) return { status, text: await answer.text() }
      if (tries === TRIES) {
        const what = isOfBefore ? `the chain at ${moved} has not been seen: does it read this one?` : String(status)
        throw new UsageError(`${url.origin}${path}: ${what}`)
      }
      await answer.body?.cancel()
      await systemClock.sleep(Math.max(LOOK_MS, Number(headers.get('retry-after')) * 1000))
    }
  }

  const [deepest] = await readBy<Ticker[]>(ask, '/api/tickers')
  if (deepest === undefined) throw new UsageError(`${url.origin} lists no pool`)
  const { base_currency: base, target_currency: quote, pool_id: dao } = deepest
  const { treasury_vault_address: vault } = await readBy<Treasury>(ask, `/api/daos/${dao}/treasury`)
  return { moves, deepest: { base, quote, dao, vault }, look: () => figuresBy(ask), close: async () => {} }
}
