import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import type { Test } from 'tap'
import { startService } from '../../support/script-process.js'
import { until } from '../../support/until.js'
import { steadyNow } from '../../support/steady-time.js'

/** The real server in a process of its own. */
export interface ServerProcess {
  child: ChildProcess
  /** All that it has written to stdout and stderr. */
  output (): string
  /** Its log lines. */
  lines (): Array<{ level: number, msg: string, time: number }>
  /** The address it listens on, once it does. */
  url (): Promise<string>
  /** Exit code or signal, and the time it took, ms of steady time, from `since`. */
  exit (since?: number): Promise<{ code: number | null, signal: string | null, ms: number }>
}

/** Starts server.ts with nothing but `env`, in a folder that has no settings of its own; killed with the test. */
export function startServer (t: Test, env: Record<string, string>, cwd?: string): ServerProcess {
  const folder = cwd ?? mkdtempSync(join(tmpdir(), 'server-'))
  const { child, output, url, isAlive, ended } = startService(env, folder)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    if (cwd === undefined) rmSync(folder, { recursive: true, force: true })
  })
  return {
    child,
    output,
    lines: () => output().split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line)),
    async url () {
      await until('the server listens', () => url() !== undefined || !isAlive())
      const address = url()
      if (address === undefined) throw new Error(`it has not begun to listen:\n${output()}`)
      return address
    },
    async exit (since = steadyNow()) {
      const { at, ...how } = await ended
      return { ...how, ms: at - since }
    }
  }
}
