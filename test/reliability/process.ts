import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { until } from '../helper.js'

/** The real server in a process of its own. */
export interface ServerProcess {
  child: ChildProcess
  /** All that it has written to stdout and stderr. */
  output (): string
  /** Its log lines. */
  lines (): Array<{ level: number, msg: string, time: number }>
  /** The address it listens on, once it does. */
  url (): Promise<string>
  /** Exit code or signal, and the time it took, ms, from `since`. */
  exit (since?: number): Promise<{ code: number | null, signal: string | null, ms: number }>
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const LISTENING = /Server listening at (http:\/\/[^"]+)/

/** Starts server.ts with nothing but `env`, in a folder that has no settings of its own. */
export function startServer (t: Test, env: Record<string, string>, cwd = mkdtempSync(join(tmpdir(), 'server-'))): ServerProcess {
  const tsx = import.meta.resolve('tsx')
  const child = spawn(process.execPath, ['--import', tsx, join(root, 'server.ts')], {
    cwd,
    env: {
      PATH: process.env.PATH,
      FASTIFY_AUTOLOAD_TYPESCRIPT: '1',
      TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'),
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: join(cwd, 'data'),
      ...env
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (chunk: string) => { text += chunk })
  const exited = new Promise<{ code: number | null, signal: string | null, at: number }>(resolve => {
    child.once('close', (code, signal) => { resolve({ code, signal, at: Date.now() }) })
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    child,
    output: () => text,
    lines: () => text.split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line)),
    async url () {
      await until('the server listens', () => LISTENING.test(text) || child.exitCode !== null)
      const [, url] = LISTENING.exec(text) ?? []
      if (url === undefined) throw new Error(`it has not begun to listen:\n${text}`)
      return url
    },
    async exit (since = Date.now()) {
      const { at, ...how } = await exited
      return { ...how, ms: at - since }
    }
  }
}
