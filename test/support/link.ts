/** A way to a server that can be interrupted: what a process holds for PostgreSQL or Redis is one of these. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * `reset`: connections end and new ones do at once; `silent`: nothing arrives, on either side; `slow`: each piece
 * arrives late.
 */
export type LinkState = 'open' | 'reset' | 'silent' | 'slow'
/** Of several at once the first one counts. */
const WORST: readonly LinkState[] = ['silent', 'reset', 'slow']

export interface Link {
  port: number
  /** Begins a state; what it returns ends it. */
  begin (state: LinkState): () => void
  /** Connections open now. */
  open (): number
  close (): Promise<void>
}

const LATE_MS = 120

export async function createLink (to: { host: string, port: number }): Promise<Link> {
  let state: LinkState = 'open'
  const sockets = new Set<Socket>()
  /** Called once pieces arrive again. */
  const waiting: Array<() => void> = []
  const arrives = (): Promise<void> | undefined => state === 'silent'
    ? new Promise(resolve => { waiting.push(resolve) })
    : undefined

  /** One piece after the other, in their order whatever the state was when each came. */
  function forward (from: Socket, into: Socket): void {
    let last = Promise.resolve()
    from.on('data', piece => {
      from.pause()
      last = last.then(async () => {
        if (state === 'slow') await new Promise<void>(resolve => { setTimeout(resolve, LATE_MS) })
        await arrives()
        if (!into.destroyed) into.write(piece)
        from.resume()
      })
    })
    from.on('end', () => { last.then(() => into.end()).catch(() => {}) })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      last.then(() => into.destroy()).catch(() => {})
    })
    sockets.add(from)
  }

  async function accept (client: Socket): Promise<void> {
    sockets.add(client)
    client.on('error', () => {})
    client.on('close', () => sockets.delete(client))
    await arrives()
    if (client.destroyed) return
    if (state === 'reset') {
      client.resetAndDestroy()
      return
    }
    const server = connect(to).setNoDelay(true)
    forward(client.setNoDelay(true), server)
    forward(server, client)
  }

  const server = createServer(client => { accept(client).catch(() => client.destroy()) })
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  let active: LinkState[] = []
  function settle (): void {
    state = WORST.find(state => active.includes(state)) ?? 'open'
    if (state === 'silent') return
    if (state === 'reset') for (const socket of sockets) socket.resetAndDestroy()
    for (const goOn of waiting.splice(0)) goOn()
  }

  return {
    port: (server.address() as AddressInfo).port,
    begin (state) {
      active.push(state)
      settle()
      return () => {
        active.splice(active.indexOf(state), 1)
        settle()
      }
    },
    open: () => sockets.size,
    async close () {
      active = ['reset']
      settle()
      await new Promise<void>(resolve => { server.close(() => resolve()) })
    }
  }
}
