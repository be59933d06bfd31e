/** The built service in a process of its own, as `npm start` runs it. Needs `npm run build`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Ready } from '../../schemas/ready.js'
import { freePort } from '../../test/support/free-port.js'
import { scratchFolder } from './run.js'

export const HOME = join(import.meta.dirname, '..', '..')

export interface BuiltService {
  url: string
  /** Its process, which takes messages where `hasChannel` was asked for. */
  child: ChildProcess
  /** Milliseconds from the start to the first answer. */
  startMs: number
  /** CPU time so far, ms. */
  cpuMs (): number
  /** Resident memory now, and the most so far, MB of 1,000,000 bytes. */
  megabytes (): { now: number, peak: number }
  /** Resolves once it is ready, and has read the whole history. */
  complete (): Promise<void>
  stop (): Promise<void>
}

/** CPU time of a process so far, ms. */
export function cpuMsOf (pid: number): number {
  // the fields behind the name, which may hold blanks: user and system time are the 14th and 15th, in hundredths of a
  // second (proc(5))
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** What `npm start` of the project in `folder` calls Node with. */
export function startArguments (folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { start: string } }
  return scripts.start.replace(/^.*?node /, '').split(' ')
}

export interface BuiltServiceOptions {
  folder?: string
  /** What Node is called with. */
  args?: string[]
  /** Whether messages can be sent to it. */
  hasChannel?: boolean
}

/**
 * Starts the service built in `folder` with settings of its own alone, and waits until it answers. Throws where it ends
 * instead.
 */
export async function startBuilt (
  env: Record<string, string>,
  { folder = HOME, args = startArguments(folder), hasChannel = false }: BuiltServiceOptions = {}
): Promise<BuiltService> {
  const port = await freePort()
  const begun = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', hasChannel ? 'ipc' : 'ignore'],
    env: { PATH: process.env.PATH, DATA_DIR: scratchFolder(), HOST: '127.0.0.1', PORT: String(port), ...env }
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const ended = once(child, 'exit')
  const read = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  const status = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(read('status'))?.[1] ?? 0) * 1024 / 1e6
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)   // not listening yet
    if (answer?.status === 200) break
    if (child.exitCode !== null) {
      await stop()
      throw new Error(`the service ended with status ${child.exitCode}: is it built?`)
    }
    await setTimeout(5)
  }
  return {
    url,
    child,
    startMs: performance.now() - begun,
    cpuMs: () => cpuMsOf(child.pid!),
    async complete () {
      for (;;) {
        const { ready, history } = await (await fetch(`${url}/ready`)).json() as Partial<Ready>
        // a busy machine may make the service shed its load: then neither is told
        if (ready !== false && history?.complete === true) return
        await setTimeout(50)
      }
    },
    megabytes: () => ({ now: status('VmRSS'), peak: status('VmHWM') }),
    stop
  }
}
