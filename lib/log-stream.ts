import { createRequire } from 'node:module'
import pino from 'pino'
import type PinoPretty from 'pino-pretty'

interface LogStream { write (line: string): void }

interface LogStreamOptions {
  fd: number
  /** For people: one line in colour instead of one of JSON. */
  terminal: boolean
  redact: (text: string) => string
}

/** Level from which on a line is written at once: whoever looks for the reason of an end finds it. */
const WARN = 40
/** Lines of one turn of the event loop that are held at most. */
const MAX_HELD = 1_000

const levelOf = (line: string): number => Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? WARN)

/**
 * A stream that no line with a secret leaves. Lines below `warn` are written together, once a turn of the event loop,
 * since a system call for each costs more than its request; all others at once, and what waits before the process ends.
 */
export function createLogStream ({ fd, terminal, redact }: LogStreamOptions): LogStream {
  if (terminal) {
    // loaded where it is used: a service without a terminal starts sooner
    const pretty = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty
    const lines = pretty({
      destination: fd, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname'
    })
    return { write: line => { lines.write(redact(line)) } }
  }
  const sink = pino.destination({ fd, sync: true })
  let held: string[] = []
  function flush (): void {
    if (held.length === 0) return
    const lines = held.join('')
    held = []
    sink.write(redact(lines))
  }
  process.on('exit', flush)
  return {
    write (line) {
      held.push(line)
      if (levelOf(line) >= WARN || held.length >= MAX_HELD) flush()
      else if (held.length === 1) setImmediate(flush)
    }
  }
}
