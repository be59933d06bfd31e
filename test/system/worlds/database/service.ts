/**
 * One process of the service in a world: its lives, one after the other, its links to the servers, and what it holds.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startArguments } from '../../../../bench/support/built-service.js'
import { ROOT } from '../../../support/script-process.js'
import type { Link } from '../../../support/link.js'
import type { Setting } from './plan.js'

/** From one start to its end. Moments are the world's, ms. */
export interface Life {
  setting: Setting
  begun: number
  url?: string
  /** Since when it has been told to end. */
  ending?: number
  pausedAt?: number
  /** When it last went on. */
  wentOn?: number
  ended?: { code: number | null, signal: NodeJS.Signals | null, at: number }
  /** Since when it says that it leads, and when it last did. */
  leads?: { since: number, last: number }
}

export interface Process {
  index: number
  database: Link
  counts: Link | undefined
  /** Since when its database can't be reached; undefined: it can. */
  away?: number | undefined
  life: Life
  setting: Setting
  start (setting: Setting): void
  /** Gives up the process at once. */
  kill (): Promise<void>
  /** Sends SIGTERM, and resolves once it has ended. */
  stop (): Promise<void>
  pause (): void
  goOn (): void
  /** Sets the wall clock. */
  step (skew: number): void
  /** What it has logged of late, requests left out. */
  lines (): string[]
  /** Open files and resident bytes; undefined: there is no process. */
  holds (): { files: number, bytes: number } | undefined
  close (): Promise<void>
}

export interface ProcessOptions {
  index: number
  database: Link
  counts: Link | undefined
  setting: Setting
  env (process: { setting: Setting, database: Link, counts: Link | undefined }): Record<string, string>
  now (): number
  /** Told of each line that is no request's. */
  onLine (line: string): void
}

const KEPT_LINES = 200
const LISTENING = /Server listening at (http:\/\/[^"]+)/
/** In the process before all else: a wall clock that is wrong, and can be set; and it does not outlive the world. */
const CLOCK = `data:text/javascript,${encodeURIComponent(`
let skew = Number(process.env.WORLD_SKEW)
const Real = Date
globalThis.Date = class Date extends Real {
  constructor (...given) { if (given.length === 0) super(Real.now() + skew); else super(...given) }
  static now () { return Real.now() + skew }
}
process.on('message', message => { skew = message.skew })
process.on('disconnect', () => process.exit(1))
process.channel.unref()
`)}`

export function createProcess ({ index, database, counts, setting, env, now, onLine }: ProcessOptions): Process {
  const folder = mkdtempSync(join(tmpdir(), 'database-world-'))
  const flags = startArguments(ROOT).filter(argument => argument.startsWith('--'))
  let child: ChildProcess | undefined
  let over: Promise<unknown> = Promise.resolve()
  let lines: string[] = []

  function start (setting: Setting): void {
    const life: Life = { setting, begun: now() }
    self.life = life
    self.setting = setting
    lines = []
    mkdirSync(folder, { recursive: true })
    const started = child = spawn(process.execPath, [...flags, '--import', CLOCK, join(ROOT, 'dist/server.js')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: folder,
        WORLD_SKEW: String(setting.skew),
        ...env({ setting, database, counts })
      }
    })
    for (const stream of [started.stdout!, started.stderr!]) {
      createInterface(stream).on('line', line => hear(life, line))
    }
    started.on('error', () => {})   // a message to one who has just gone
    over = new Promise<void>(resolve => {
      started.once('exit', (code, signal) => {
        life.ended = { code, signal, at: now() }
        resolve()
      })
    })
  }

  function hear (life: Life, line: string): void {
    if (line.includes('"msg":"answered"')) return
    life.url ??= LISTENING.exec(line)?.[1]
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    onLine(line)
  }

  async function end (signal: NodeJS.Signals): Promise<void> {
    self.life.ending ??= now()
    child?.kill(signal)
    // One that is stopped can't end by itself
    if (self.life.pausedAt !== undefined) self.goOn()
    await over
  }

  const self: Process = {
    index,
    database,
    counts,
    setting,
    life: { setting, begun: now() },
    start,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    pause () {
      self.life.pausedAt ??= now()
      child?.kill('SIGSTOP')
    },
    goOn () {
      delete self.life.pausedAt
      self.life.wentOn = now()
      child?.kill('SIGCONT')
    },
    step (skew) { if (child?.connected === true) child.send({ skew }, () => {}) },
    lines: () => lines,
    holds () {
      const pid = child?.pid
      if (pid === undefined || self.life.ended !== undefined) return undefined
      try {
        return {
          files: readdirSync(`/proc/${pid}/fd`).length,
          bytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
        }
      } catch {
        return undefined   // it has just ended
      }
    },
    async close () {
      await end('SIGKILL')
      await Promise.all([database.close(), counts?.close()])
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return self
}
