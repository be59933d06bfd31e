import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import { levels } from 'pino'
import type PinoPretty from 'pino-pretty'
import { systemClock } from './clock.js'

interface LogStreamOptions {
  /** Standard output; not blocking where it is a pipe (Node's `process.stdout`). */
  out: Writable
  /** For people: one line in colour instead of one of JSON. */
  terminal: boolean
  redact: (text: string) => string
}

const WARN = levels.values.warn!
/** Lines of one turn of the event loop that are held at most. */
const MAX_HELD = 1_000
/** Bytes that may wait to be taken: beyond, lines are lost. */
const MAX_WAITING = 2 ** 20

/** Below `warn`. All others are written at once, so that the reason of a process's end is in the log. */
const isQuiet = (line: string) => line['{"level":'.length]! < '4'

function lossOf (lines: number): string {
  const msg = `${lines} log lines were lost: nobody took them`
  return lines === 0 ? '' : `${JSON.stringify({ level: WARN, time: systemClock.epoch(), msg })}\n`
}

/**
 * A log stream without secrets. Lines below `warn` are written together, once a turn of the event loop, since a system
 * call for each costs more than its request; all others at once, and what waits before the process ends. Lines never
 * hold up answers: those that can't be written are counted, and the next one that can says how many.
 */
export function createLogStream ({ out, terminal, redact }: LogStreamOptions) {
  if (terminal) {
    // loaded where it is used: a service without a terminal starts sooner
    const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty
    const lines = pretty({
      destination: 1, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname'
    })
    return { write: (line: string) => { lines.write(redact(line)) } }
  }
  let held: string[] = []
  let lost = 0
  // each write's callback has its own
  out.on('error', () => {})
  function flush (): void {
    if (held.length === 0) return
    const [lines, count] = [lossOf(lost) + held.join(''), lost + held.length]
    held = []
    lost = count
    if (out.writableLength > MAX_WAITING) return
    lost = 0
    out.write(redact(lines), error => { if (error != null) lost += count })
  }
  process.on('exit', flush)
  return {
    write (line: string) {
      held.push(line)
      if (!isQuiet(line) || held.length >= MAX_HELD) flush()
      else if (held.length === 1) setImmediate(flush)
    }
  }
}
