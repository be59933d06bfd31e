/** The WebSocket of a world: the first node's, without a socket. */
import type { Subscription, SubscriptionOptions } from '../../../lib/chain/subscription.js'
import type { World } from './scene.js'

/** From a notification to whoever listens, ms. */
const LATE_MS = 20

/** Connects at once, and stays connected; while the node is down it tells nothing. */
export const listenerOf = ({ nodes: [node], subscriptions }: Pick<World, 'nodes' | 'subscriptions'>) => (
  { program, onTransaction, onState = () => {} }: SubscriptionOptions
): Subscription => {
  const params = [{ mentions: [program] }, { commitment: 'finalized' }]
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params })
  const ended = new AbortController()
  const later = (action: () => void): void => { setTimeout(() => { if (!ended.signal.aborted) action() }, LATE_MS) }
  const channel = {
    get isOpen () { return !node!.down },
    send (text: string): void {
      const message = JSON.parse(text)
      later(() => message.method === undefined ? onState('up') : onTransaction())
    }
  }
  subscriptions.receive(channel, request)
  return {
    async close () {
      ended.abort()
      subscriptions.leave(channel)
    }
  }
}
