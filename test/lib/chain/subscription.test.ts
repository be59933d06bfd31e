import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { test, type Test } from 'tap'
import { WebSocketServer, type WebSocket } from 'ws'
import { subscribe, type SubscriptionOptions } from '../../../lib/chain/subscription.js'
import { faultOf } from '../../../lib/chain/node-errors.js'
import { systemClock } from '../../../lib/clock.js'
import { steadyAfter, steadyNow } from '../../support/steady-time.js'
import { until } from '../../support/until.js'

interface Message { id: unknown, method: string, params: unknown[] }

/** A node that confirms each subscription with a number of its own, unless `answer` says otherwise. */
async function startServer (t: Test) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const node = {
    server,
    url: '',
    messages: [] as Message[],
    sockets: [] as WebSocket[],
    answer: (message: Message, number: number): unknown => ({ jsonrpc: '2.0', id: message.id, result: number })
  }
  let number = 100
  server.on('connection', socket => {
    node.sockets.push(socket)
    socket.on('error', () => {})
    socket.on('message', data => {
      const message = JSON.parse(String(data)) as Message
      node.messages.push(message)
      const answer = node.answer(message, ++number)
      if (answer !== undefined) socket.send(typeof answer === 'string' ? answer : JSON.stringify(answer))
    })
  })
  await once(server, 'listening')
  node.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  t.teardown(async () => {
    for (const socket of server.clients) socket.terminate()
    await new Promise(resolve => server.close(resolve))
  })
  return node
}

/** Silence that ends a connection or an attempt at one: on a busy machine an answer may take a second. */
const SILENCE_MS = 1_500

/** A subscription to logs that keeps a diary, and waits no longer than `longest` for anything. */
function watch (t: Test, url: string, over: Partial<SubscriptionOptions> = {}, longest = SILENCE_MS) {
  const states: string[] = []
  const faults: unknown[] = []
  let [timers, woken] = [0, 0]
  const subscription = subscribe({
    url,
    program: 'program',
    onTransaction: () => { woken++ },
    silenceMs: SILENCE_MS,
    onState: state => states.push(state),
    onFault: error => faults.push(error),
    clock: {
      ...systemClock,
      after (ms, action) {
        timers++
        let set = true
        const unset = () => { if (set) timers--; set = false }
        const cancel = steadyAfter(Math.min(ms, longest), () => { unset(); action() })
        return () => { unset(); cancel() }
      }
    },
    ...over
  })
  t.teardown(() => subscription.close())
  return { subscription, states, faults, timers: () => timers, woken: () => woken }
}

const holds = async (condition: () => boolean): Promise<void> => { await until(String(condition), condition) }
const reasons = (faults: unknown[]) => faults.map(fault => faultOf(fault)?.reason)
const notify = (socket: WebSocket | undefined, subscription = 101) =>
  socket?.send(JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params: { subscription, result: {} } }))

test('subscribes, tells of transactions, and closes without a trace', async t => {
  const node = await startServer(t)
  node.answer = ({ id }, result) => {
    notify(node.sockets[0])
    return { jsonrpc: '2.0', id, result }
  }
  const { subscription, states, faults, timers, woken } = watch(t, node.url)
  await holds(() => states.length > 0)
  t.strictSame([states, woken()], [['up'], 0], 'before its confirmation nothing is told')
  t.match(node.messages, [
    { method: 'logsSubscribe', params: [{ mentions: ['program'] }, { commitment: 'finalized' }] }
  ])
  notify(node.sockets[0])
  notify(node.sockets[0])
  await holds(() => woken() > 1)
  t.equal(woken(), 2)
  const closing = subscription.close()
  t.equal(subscription.close(), closing)
  notify(node.sockets[0])
  await closing
  await holds(() => node.server.clients.size === 0)
  t.equal(timers(), 0)
  t.strictSame([states, woken(), faults], [['up', 'down'], 2, []])
})

test('reconnects and subscribes anew, each change told once', async t => {
  const node = await startServer(t)
  const { states, faults, woken } = watch(t, node.url)
  await holds(() => states.length === 1)
  node.sockets[0]?.terminate()
  await holds(() => states.length === 3)
  t.strictSame(states, ['up', 'down', 'up'])
  t.strictSame(reasons(faults), ['network'])
  t.equal(node.messages.filter(({ method }) => method === 'logsSubscribe').length, 2)
  notify(node.sockets[1], 102)
  await holds(() => woken() > 0)
})

test('a chain that stands sends nothing: pongs keep it up, and their absence ends it', async t => {
  const node = await startServer(t)
  const { states, faults } = watch(t, node.url)
  await holds(() => states.length > 0)
  await new Promise<void>(resolve => steadyAfter(2.5 * SILENCE_MS, resolve))
  t.strictSame([states, faults], [['up'], []])
  ;(node.sockets[0] as unknown as { _socket: { pause: () => void } })._socket.pause()
  await holds(() => states.length > 1)
  t.strictSame(reasons(faults), ['timeout'])
})

test('what a node may send instead of a confirmation', async t => {
  const node = await startServer(t)
  const cases: Array<[string, (message: Message) => unknown]> = [
    ['rpc-error', ({ id }) => ({ id, error: { code: -32602, message: 'SECRET' } })],
    ['rpc-error', ({ id }) => ({ id })],
    ['not-json', () => '<html>'],
    ['not-json', () => '[]'],
    ['network', () => 'x'.repeat(2 * 1024 ** 2)],
    ['timeout', () => undefined]
  ]
  for (const [reason, answer] of cases) {
    node.answer = answer
    const { subscription, states, faults } = watch(t, node.url)
    await holds(() => faults.length > 0)
    await subscription.close()
    t.equal(reasons(faults)[0], reason)
    t.strictSame(states, [])
    t.notMatch(inspect(faults, { depth: 20, showHidden: true }), /SECRET/)
  }
})

test('a confirmation too many is none', async t => {
  const node = await startServer(t)
  const { states, faults, woken } = watch(t, node.url)
  await holds(() => states.length === 1)
  node.sockets[0]?.send(JSON.stringify({ jsonrpc: '2.0', id: node.messages[0]!.id, result: 7 }))
  await holds(() => woken() > 0)
  t.strictSame([states, faults], [['up'], []])
})

test('a host that is not there: only the hook hears of it, without the key, ever less often', async t => {
  const pauses: number[] = []
  const clock = {
    ...systemClock,
    random: () => 1,
    after: (ms: number, action: () => void) => {
      if (ms !== 5_000 && ms !== 1_000) pauses.push(ms)   // looks at the silence, and the deadline of closing
      return systemClock.after(ms === 5_000 ? ms : 1, action)
    }
  }
  for (const url of ['ws://user:SECRET@no-such-host.invalid/SECRET?key=SECRET#SECRET', 'ws://127.0.0.1:1/SECRET']) {
    pauses.length = 0
    const { subscription, states, faults } = watch(t, url, { clock, silenceMs: 10_000 })
    await holds(() => faults.length >= 9)
    await subscription.close()
    t.strictSame(
      pauses.filter(ms => ms !== 1_000).slice(0, 8), [500, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]
    )
    t.match(faults[0], { code: 'NODE_UNAVAILABLE', message: /was not reached \((ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\)$/ })
    t.strictSame(states, [])
    t.notMatch(inspect(faults, { depth: 20, showHidden: true }), /SECRET/)
  }
})

test('a refusal by HTTP, a handshake that hangs, a closing that hangs', async t => {
  const node = await startServer(t)
  node.server.options.verifyClient = (_: unknown, done: (ok: boolean, status: number) => void) => done(false, 401)
  const refused = watch(t, node.url)
  await holds(() => refused.faults.length > 0)
  t.match(refused.faults[0], { code: 'NODE_UNAVAILABLE', message: /answered HTTP 401/ })
  await refused.subscription.close()

  node.server.options.verifyClient = () => {}
  const hanging = watch(t, node.url)
  await delay(30)
  await hanging.subscription.close()
  t.equal(hanging.timers(), 0, 'closed while connecting')

  delete node.server.options.verifyClient
  const stuck = watch(t, node.url)
  await holds(() => stuck.states.length === 1)
  ;(node.sockets.at(-1) as unknown as { _socket: { pause: () => void } })._socket.pause()
  const begun = steadyNow()
  await stuck.subscription.close()
  t.ok(steadyNow() - begun < 8_000, 'cut when the node does not close with it')
})

test('a hundred reconnections leave one socket and no timer', async t => {
  const node = await startServer(t)
  const { subscription, states, timers } = watch(t, node.url, {}, 20)
  node.server.on('connection', socket => setTimeout(() => socket.terminate(), 5))
  await holds(() => node.sockets.length >= 100)
  t.ok(node.server.clients.size <= 1)
  await subscription.close()
  await holds(() => node.server.clients.size === 0)
  t.equal(timers(), 0)
  const changes = states.filter((state, i) => state !== states[i - 1])
  t.strictSame(states, changes)
})
