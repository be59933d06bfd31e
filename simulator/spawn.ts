/** A market in a process of its own, as a node is: what asks it costs it nothing, and is not slowed by it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'

/** What `serve.ts` prints of it. */
export interface ServedMarket {
  url: string
  wsUrl: string
  /** Where it takes moves, if it does. */
  movesUrl?: string
  program: string
  router: string
  spam: string
  launched: string[]
  transactions: number
  swaps: number
  stop (): Promise<void>
}

/**
 * Starts `serve.ts` with these options, run as this process is: from the sources, or compiled. It ends with this
 * process, however that ends.
 */
export async function spawnMarket (...options: string[]): Promise<ServedMarket> {
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv, '--max-old-space-size=8192', `${import.meta.dirname}/serve${extname(import.meta.filename)}`,
      ...options
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }
  )
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>,
    once(child, 'exit').then(([status, signal]) => {
      throw new Error(`the market ended before it could be asked: ${signal ?? status}`)
    })
  ])
  return {
    ...JSON.parse(line) as Omit<ServedMarket, 'stop'>,
    async stop () { if (child.exitCode === null && child.kill()) await once(child, 'exit') }
  }
}
