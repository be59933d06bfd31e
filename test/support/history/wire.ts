import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A wire to the database that can go silent: connections stay, and nothing passes. */
export async function startWire (t: Test, url: string): Promise<{ url: string, silent: boolean }> {
  const target = new URL(url)
  const [host, port] = [target.hostname, Number(target.port)]
  const sockets = new Set<Socket>()
  let silent = false
  const pass = (from: Socket, to: Socket) => {
    from.on('data', chunk => { if (!silent) to.write(chunk) })
    from.on('error', () => {})
    from.on('close', () => { if (!silent) to.destroy() })
  }
  const server = createServer(near => {
    const far = connect(port, host)
    for (const socket of [near, far]) sockets.add(socket)
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  target.hostname = '127.0.0.1'
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    get silent () { return silent },
    set silent (value) {
      silent = value
      // What was lost on the wire can't be made up: those connections stay dead
      if (!silent) for (const socket of sockets) socket.destroy()
    }
  }
}
