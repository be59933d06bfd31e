/** A simulated chain in a process of its own, that it costs the one that is measured nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { HOME } from './built-service.js'

export interface Chain {
  url: string
  program: string
  router: string
  transactions: number
  swaps: number
  stop (): Promise<void>
}

/** Starts `simulator/serve.ts` with these options. */
export async function startChain (...options: string[]): Promise<Chain> {
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=8192', '--import', 'tsx', 'simulator/serve.ts', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: HOME }
  )
  const [line] = await once(createInterface({ input: child.stdout }), 'line') as [string]
  return {
    ...JSON.parse(line) as Omit<Chain, 'stop'>,
    async stop () { if (child.exitCode === null && child.kill()) await once(child, 'exit') }
  }
}
