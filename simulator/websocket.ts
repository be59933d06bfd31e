/** Subscriptions over WebSocket, and what can go wrong with them. */
import { type IncomingMessage } from 'node:http'
import { type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Ledger } from './ledger.js'
import { type Methods } from './methods.js'
import { type AccountConfig, writeAccount } from './methods-accounts.js'

type Kind = 'logs' | 'account' | 'program' | 'slot'

interface Subscription {
  id: number
  kind: Kind
  channel: Channel
  /** The address mentioned or watched. */
  address: string | null
  commitment: string
  config: AccountConfig
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
  const server = new WebSocketServer({ noServer: true, autoPong: false })
  const subscriptions = new Map<number, Subscription>()
  /** Notifications that wait until their slot is final. */
  let waiting: Pending[] = []
  let nextId = 1
  let silent = false
  let refusing = false
  let notifications = 0
  let due = 0
  let leftOut = 0

  function deliver (subscription: Subscription, text: string): void {
    if (silent || !subscription.channel.isOpen) return
    if (leftOut > 0 && due++ % leftOut === 0) return
    notifications++
    subscription.channel.send(text)
  }

  function notify (subscription: Subscription, slot: number, result: string): void {
    const text =
      `{"jsonrpc":"2.0","method":"${subscription.kind}Notification","params":{"result":${result},"subscription":${subscription.id}}}`
    if (slot <= methods.slotAt(subscription.commitment)) deliver(subscription, text)
    else waiting.push({ slot, text, subscription })
  }

  const ofKind = (kind: Kind): Subscription[] => [...subscriptions.values()].filter(
    subscription => subscription.kind === kind
  )
  const context = (slot: number, value: string) => `{"context":{"slot":${slot}},"value":${value}}`

  const unlisten = ledger.listen({
    transaction (index) {
      if (subscriptions.size === 0) return
      const { history } = ledger
      for (const subscription of ofKind('logs')) {
        if (subscription.address !== null && !history.addresses(index).includes(subscription.address)) continue
        notify(subscription, history.slot(index), context(history.slot(index), JSON.stringify({
          signature: history.signature(index), err: history.error(index), logs: history.logs(index)
        })))
      }
    },
    account (address) {
      if (subscriptions.size === 0) return
      const entry = ledger.accounts.get(address)
      if (entry === undefined) return
      for (const subscription of ofKind('account')) {
        if (subscription.address === address) {
          notify(subscription, ledger.slot, context(ledger.slot, writeAccount(entry, subscription.config)))
        }
      }
      for (const subscription of ofKind('program')) {
        if (subscription.address !== entry.owner) continue
        notify(
          subscription,
          ledger.slot,
          context(ledger.slot, `{"pubkey":"${address}","account":${writeAccount(entry, subscription.config)}}`)
        )
      }
    },
    slot (slot) {
      for (const subscription of ofKind('slot')) {
        deliver(
          subscription,
          `{"jsonrpc":"2.0","method":"slotNotification","params":{"result":{"parent":${slot - 1},"root":${slot - 32},"slot":${slot}},"subscription":${subscription.id}}}`
        )
      }
      if (waiting.length === 0) return
      const final = waiting.filter(pending => pending.slot <= methods.slotAt(pending.subscription.commitment))
      waiting = waiting.filter(pending => !final.includes(pending))
      for (const { subscription, text } of final) if (subscriptions.has(subscription.id)) deliver(subscription, text)
    }
  })

  function subscribe (channel: Channel, kind: Kind, params: unknown[]): number {
    const first = params[0]
    const mentions = typeof first === 'object' && first !== null
      ? (first as {
          mentions?: string[]
        }).mentions
      : undefined
    const config = (typeof params[1] === 'object' && params[1] !== null ? params[1] : {}) as AccountConfig & {
      commitment?: string
    }
    const id = nextId++
    subscriptions.set(id, {
      id,
      kind,
      channel,
      address: mentions?.[0] ?? (typeof first === 'string' && first !== 'all' ? first : null),
      commitment: config.commitment ?? 'finalized',
      config
    })
    return id
  }

  function receive (channel: Channel, text: string): void {
    if (silent) return
    const message = JSON.parse(text) as Message
    const reply = (body: object) => channel.send(JSON.stringify({ jsonrpc: '2.0', ...body, id: message.id ?? null }))
    const [, kind, verb] = /^(logs|account|program|slot)(Subscribe|Unsubscribe)$/.exec(message.method ?? '') ?? []
    if (kind === undefined) reply({ error: { code: -32601, message: 'Method not found' } })
    else if (verb === 'Subscribe') reply({ result: subscribe(channel, kind as Kind, message.params ?? []) })
    else reply({ result: subscriptions.delete(Number(message.params?.[0])) })
  }

  const leave = (channel: Channel): void => {
    for (const [id, subscription] of subscriptions) if (subscription.channel === channel) subscriptions.delete(id)
  }
  const drop = (): void => { for (const client of server.clients) client.terminate() }

  return {
    accept (request: IncomingMessage, socket: Socket, head: Buffer): void {
      if (refusing) {
        socket.destroy()
        return
      }
      server.handleUpgrade(request, socket, head, client => {
        const channel = channelOf(client)
        client.on('message', data => receive(channel, String(data)))
        client.on('ping', data => { if (!silent) client.pong(data) })
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
      /** Connections stay open, but nothing comes: no notifications, answers or pongs. */
      set silent (value: boolean) { silent = value },
      get silent () { return silent },
      /** New connections are refused. */
      set refusing (value: boolean) { refusing = value },
      get refusing () { return refusing },
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
