import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** One process of the whole service. */
export interface Replica {
  /** The address it listens on, once it does. */
  url (): string | undefined
  /** Until it is ready to answer. Throws with its output when it ends before. */
  ready (): Promise<void>
  /** Whether it has said that it writes. */
  leads (): boolean
  isAlive (): boolean
  pause (): void
  goOn (): void
  kill (): Promise<void>
  output (): string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const READY_MS = 60_000

export function startReplica (env: Record<string, string>): Replica {
  const cwd = mkdtempSync(join(tmpdir(), 'replica-'))
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), join(root, 'server.ts')], {
    cwd,
    env: {
      PATH: process.env.PATH,
      FASTIFY_AUTOLOAD_TYPESCRIPT: '1',
      TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      ...env
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let text = ''
  let alive = true
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
  const ended = new Promise<void>(resolve => {
    child.once('close', () => {
      alive = false
      resolve()
    })
  })
  const url = () => /Server listening at (http:\/\/[^"]+)/.exec(text)?.[1]
  return {
    url,
    async ready () {
      const deadline = performance.now() + READY_MS
      for (;;) {
        if (!alive || performance.now() > deadline) throw new Error(`a replica is not ready:\n${text.slice(-3000)}`)
        const address = url()
        if (address !== undefined && (await fetch(`${address}/ready`)).ok) return
        await wait(100)
      }
    },
    leads: () => alive && text.lastIndexOf('writes the history from now on') > text.lastIndexOf('has lost the lead'),
    isAlive: () => alive,
    pause: () => { child.kill('SIGSTOP') },
    goOn: () => { child.kill('SIGCONT') },
    async kill () {
      child.kill('SIGKILL')
      await ended
      rmSync(cwd, { recursive: true, force: true })
    },
    output: () => text
  }
}
