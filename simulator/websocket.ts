/** Subscriptions to logs over WebSocket, and what can go wrong with them. */
import { type IncomingMessage } from 'node:http'
import { type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Ledger } from './ledger.js'
import { type Methods } from './methods.js'

interface Subscription {
  id: number
  channel: Channel
  /** The address that transactions mention; undefined: of all. */
  address: string | undefined
  commitment: string
}

/** Where answers and notifications go, whatever carries them. */
export interface Channel {
  readonly isOpen: boolean
  send (text: string): void
}

interface Pending { slot: number, text: string, subscription: Subscription }

interface Message { id?: unknown, method?: string, params?: unknown[] }

const channelOf = (socket: WebSocket): Channel => ({
  get isOpen () { return socket.readyState === socket.OPEN },
  send: text => socket.send(text)
})

export function createSubscriptions (ledger: Ledger, methods: Methods) {
  const server = new WebSocketServer({ noServer: true })
  const subscriptions = new Map<number, Subscription>()
  /** Notifications that wait until their slot is final. */
  let waiting: Pending[] = []
  let nextId = 1
  let notifications = 0
  let due = 0
  let leftOut = 0

  function deliver (subscription: Subscription, text: string): void {
    if (!subscription.channel.isOpen) return
    if (leftOut > 0 && due++ % leftOut === 0) return
    notifications++
    subscription.channel.send(text)
  }

  const unlisten = ledger.listen({
    transaction (index) {
      const { history } = ledger
      const slot = history.slot(index)
      for (const subscription of subscriptions.values()) {
        const { id, address, commitment } = subscription
        if (address !== undefined && !history.addresses(index).includes(address)) continue
        const value = {
          signature: history.signature(index), err: history.error(index), logs: history.logs(index)
        }
        const text = JSON.stringify({
          jsonrpc: '2.0',
          method: 'logsNotification',
          params: { result: { context: { slot }, value }, subscription: id }
        })
        if (slot <= methods.slotAt(commitment)) deliver(subscription, text)
        else waiting.push({ slot, text, subscription })
      }
    },
    slot () {
      const final = waiting.filter(({ slot, subscription }) => slot <= methods.slotAt(subscription.commitment))
      waiting = waiting.filter(pending => !final.includes(pending))
      for (const { subscription, text } of final) if (subscriptions.has(subscription.id)) deliver(subscription, text)
    }
  })

  function subscribe (channel: Channel, [filter, config]: unknown[]): number {
    const { mentions } = Object(filter) as { mentions?: string[] }
    const { commitment = 'finalized' } = Object(config) as { commitment?: string }
    const id = nextId++
    subscriptions.set(id, { id, channel, address: mentions?.[0], commitment })
    return id
  }

  function receive (channel: Channel, text: string): void {
    const message = JSON.parse(text) as Message
    const reply = (body: object) => channel.send(JSON.stringify({ jsonrpc: '2.0', ...body, id: message.id ?? null }))
    const { method, params = [] } = message
    if (method === 'logsSubscribe') reply({ result: subscribe(channel, params) })
    else reply({ error: { code: -32601, message: 'Method not found' } })
  }

  const leave = (channel: Channel): void => {
    for (const [id, subscription] of subscriptions) if (subscription.channel === channel) subscriptions.delete(id)
  }
  const drop = (): void => { for (const client of server.clients) client.terminate() }

  return {
    accept (request: IncomingMessage, socket: Socket, head: Buffer): void {
      server.handleUpgrade(request, socket, head, client => {
        const channel = channelOf(client)
        client.on('message', data => receive(channel, String(data)))
        client.on('error', () => {})
        client.on('close', () => leave(channel))
      })
    },
    /** What a message over any channel asks for; all that it asked for ends when it leaves. */
    receive,
    leave,
    drop,
    close (): void {
      unlisten()
      drop()
      server.close()
    },
    controls: {
      /** One in so many notifications is never sent; 0: all are. */
      set leftOut (value: number) { leftOut = value },
      get leftOut () { return leftOut },
      /** Ends every connection. */
      drop,
      get connections () { return server.clients.size },
      get subscriptions () { return subscriptions.size },
      /** How many were sent. */
      get notifications () { return notifications }
    }
  }
}
