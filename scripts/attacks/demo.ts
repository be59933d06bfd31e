/** The running demo as the scene of attacks: its chain takes the moves, its service is asked as anyone asks it. */
import { systemClock } from '../../lib/clock.js'
import type { Ready } from '../../schemas/ready.js'
import type { Treasury } from '../../schemas/treasury.js'
import type { Ticker } from '../../schemas/ticker.js'
import { sendMoves } from '../../simulator/moves.js'
import { UsageError } from '../command-line.js'
import { type Figures, figuresBy, type Scene } from './scene.js'

/** Between two looks: a client has 60 requests a minute. */
const LOOK_MS = 3_000
const TRIES = 60

/**
 * The service at `url` before the chain that takes moves at `chain`. Throws a UsageError where one of them does not
 * answer.
 */
export async function openDemo (url: URL, chain: URL): Promise<Scene> {
  const nobodyAt = ({ origin }: URL) => (cause: unknown): never => {
    throw new UsageError(`nobody answers at ${origin}`, { cause })
  }
  // no move: only whether it is there
  await fetch(chain, { method: 'POST', body: '[]' }).catch(nobodyAt(chain))
  let moved = 0
  const moves = sendMoves(chain.href, slot => { moved = slot })

  /** The answer; where the limit is met, or figures of now are not there yet, once they are. */
  async function ask (path: string): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const answer = await fetch(new URL(path, url)).catch(nobodyAt(url))
      const isLate = [429, 503].includes(answer.status) || answer.headers.has('age')
      if (!isLate || tries === TRIES) return answer
      await answer.body?.cancel()
      await systemClock.sleep(Math.max(LOOK_MS, Number(answer.headers.get('retry-after')) * 1000))
    }
  }
  async function read<T> (path: string): Promise<T> {
    const answer = await ask(path)
    if (answer.status !== 200) throw new UsageError(`${path}: ${answer.status} ${await answer.text()}`)
    return await answer.json() as T
  }

  /** Waits until the service shows the chain as it was after the last move, its final events included. */
  async function seen (): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      await read('/api/tickers')
      const { snapshot, history } = await read<Ready>('/ready')
      if ((snapshot?.slot ?? 0) >= moved && (history.head_slot ?? 0) >= moved) return
      await systemClock.sleep(LOOK_MS)
    }
    throw new UsageError(`slot ${moved} has not been seen by ${url.origin}: does it read this chain?`)
  }

  async function look (): Promise<Figures> {
    await seen()
    return await figuresBy(read, async path => {
      const answer = await ask(path)
      return { status: answer.status, text: await answer.text() }
    })
  }

  const [deepest] = await read<Ticker[]>('/api/tickers')
  if (deepest === undefined) throw new UsageError(`${url.origin} lists no pool`)
  const { base_currency: base, target_currency: quote, pool_id: dao } = deepest
  const { treasury_vault_address: vault } = await read<Treasury>(`/api/daos/${dao}/treasury`)
  return { moves, deepest: { base, quote, dao, vault }, look, close: async () => {} }
}
