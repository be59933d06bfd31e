import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that Linux gives to whoever asks for any (32768 on): no connection takes one of these meanwhile. */
const [FIRST, COUNT] = [10_000, 20_000]

/** A port that is free at 127.0.0.1, for what has to be told its port before it listens. */
export async function freePort (): Promise<number> {
  for (let at = process.pid; ; at++) {
    const server = createServer()
    const port = FIRST + at * 7 % COUNT
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    } finally {
      if (server.listening) await new Promise(resolve => server.close(resolve))
    }
  }
}
