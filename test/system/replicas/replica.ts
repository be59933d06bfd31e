import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startService } from '../../support/script-process.js'

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

const READY_MS = 60_000

export function startReplica (env: Record<string, string>): Replica {
  const cwd = mkdtempSync(join(tmpdir(), 'replica-'))
  const { child, output, url, isAlive, ended } = startService(env, cwd)
  return {
    url,
    async ready () {
      const deadline = performance.now() + READY_MS
      for (;;) {
        if (!isAlive() || performance.now() > deadline) {
          throw new Error(`a replica is not ready:\n${output().slice(-3000)}`)
        }
        const address = url()
        if (address !== undefined && (await fetch(`${address}/ready`)).ok) return
        await wait(100)
      }
    },
    leads: () => isAlive() && output().lastIndexOf(
      'writes the history from now on'
    ) > output().lastIndexOf('has lost the lead'),
    isAlive,
    pause: () => { child.kill('SIGSTOP') },
    goOn: () => { child.kill('SIGCONT') },
    async kill () {
      child.kill('SIGKILL')
      await ended
      rmSync(cwd, { recursive: true, force: true })
    },
    output
  }
}
