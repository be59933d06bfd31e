import { createRequire } from 'node:module'
import pino from 'pino'
import type pretty from 'pino-pretty'

/** Where log lines go. */
export interface LogStream { write (line: string): void }

export interface LogStreamOptions {
  /** The file descriptor. */
  fd: number
  /** For people: one line in colour instead of one of JSON. */
  terminal: boolean
  redact: (text: string) => string
}

/** Loaded where there is a terminal: a service without one starts sooner. */
const loadPretty = (): typeof pretty => createRequire(import.meta.url)('pino-pretty') as typeof pretty

/** A stream that has written a line when `write` returns, so that the last words of a process are not lost, and no line holds a secret. */
export function createLogStream ({ fd, terminal, redact }: LogStreamOptions): LogStream {
  const sink: LogStream = terminal
    ? loadPretty()({ destination: fd, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
    : pino.destination({ fd, sync: true })
  return { write: line => { sink.write(redact(line)) } }
}
