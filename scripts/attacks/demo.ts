import { setTimeout } from 'node:timers/promises'
import type { Treasury } from '../../schemas/treasury.js'
import type { Ticker } from '../../schemas/ticker.js'
import { sendMoves } from '../../simulator/moves.js'
import { ask as askUrl, UsageError } from '../command-line.js'
import { type Ask, figuresBy, readBy, type Scene } from './scene.js'

/** Between two looks: a client has 60 requests a minute. */
const LOOK_MS = 3_000
const TRIES = 60

/**
 * The running demo: the service at `url`, asked as anyone asks it, before the chain that takes moves at `chain`. Ends
 * the process where one of them does not answer.
 */
export async function openDemo (url: URL, chain: URL): Promise<Scene> {
  // no move: only whether it is there
  await askUrl(chain, { method: 'POST', body: '[]' })
  let moved = 0
  const moves = sendMoves(chain.href, time => { moved = time })

  /** The answer; where it is not there yet as it is after the last move, once it is. */
  const ask: Ask = async path => {
    for (let tries = 0; ; tries++) {
      const { status, headers, text } = await askUrl(new URL(path, url))
      const isOfBefore = Date.parse(headers['x-chain-time'] ?? '') <= moved * 1000
      if (status !== 503 && !isOfBefore) return { status, text }
      if (tries === TRIES) {
        const what = isOfBefore ? `the chain at ${moved} has not been seen: does it read this one?` : String(status)
        throw new UsageError(`${url.origin}${path}: ${what}`)
      }
      await setTimeout(Math.max(LOOK_MS, Number(headers['retry-after'] ?? 0) * 1000))
    }
  }

  const [deepest] = await readBy<Ticker[]>(ask, '/api/tickers')
  if (deepest === undefined) throw new UsageError(`${url.origin} lists no pool`)
  const { base_currency: base, target_currency: quote, pool_id: dao } = deepest
  const { treasury_vault_address: vault } = await readBy<Treasury>(ask, `/api/daos/${dao}/treasury`)
  return { moves, deepest: { base, quote, dao, vault }, look: () => figuresBy(ask), close: async () => {} }
}
