/** Command lines of the scripts: what its caller can mend is told in one line, without a stack trace. */
import { setTimeout } from 'node:timers/promises'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { isServiceError, messageOf } from '../lib/errors.js'

/** Something of the command line that can't be; its message is what the caller reads. */
export class UsageError extends Error {}

/** Ends the process with status 2 and one line. */
export function refuse (line: string): never {
  process.stderr.write(`${line.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  process.exit(2)
}

/** Flags that take a text. */
export const texts = <const N extends string>(...names: N[]): Record<N, { type: 'string' }> =>
  Object.fromEntries(names.map(name => [name, { type: 'string' }])) as Record<N, { type: 'string' }>

type Options = NonNullable<ParseArgsConfig['options']>
type Read<O extends Options, P extends boolean> = ReturnType<typeof parseArgs<{ options: O, allowPositionals: P }>>

/** The flags. `--help` prints `usage` and ends the process; one that can't be ends it with status 2 and a line. */
export function readCommandLine<const O extends Options, const P extends boolean = false> (
  usage: string, options: O, allowPositionals?: P
): Read<O, P> {
  let read
  try {
    read = parseArgs(
      { options: { ...options, help: { type: 'boolean', short: 'h' } }, allowPositionals: allowPositionals ?? false }
    )
  } catch (error) {
    // What is behind the first sentence is advice on how to quote
    return refuse(`${(error as Error).message.split(/\.\s/)[0]}: ${usage}`)
  }
  if ((read.values as { help?: boolean }).help !== true) return read as unknown as Read<O, P>
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

/** npm passes on a signal that the terminal has already sent here: within this time it is the same one, ms. */
const SAME_SIGNAL = 500

/**
 * Runs a script. What its caller or an operator can mend ends it with a line, a UsageError with status 2, anything else
 * with 1; a defect shows where it is. Where nobody reads its output any more it ends.
 * With `interrupted`, which then says how it goes on, that and SIGINT and SIGTERM abort its signal; a second one of
 * those ends it at once.
 */
export async function runScript (
  work: (signal: AbortSignal) => Promise<void>, { interrupted }: { interrupted?: string } = {}
): Promise<void> {
  const stopping = new AbortController()
  if (interrupted !== undefined) {
    let told = Infinity
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (performance.now() - told > SAME_SIGNAL) process.exit(1)
        told = Math.min(told, performance.now())
        stopping.abort()
      })
    }
  }
  process.stdout.on('error', () => interrupted === undefined ? process.exit(1) : stopping.abort())
  try {
    await work(stopping.signal)
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1
    // one that the terminal has sent may have ended a process of this script first
    if (interrupted !== undefined && !stopping.signal.aborted) await setTimeout(SAME_SIGNAL)
    if (stopping.signal.aborted) {
      process.stderr.write(`\nInterrupted: ${interrupted}\n`)
      return
    }
    // what the system refuses says so: a port that is taken, a file that can't be written; SettingsError by its name,
    // since the settings know half of the house
    const isToldByLine = isServiceError(error) || error instanceof UsageError ||
      (error instanceof Error && (error.name === 'SettingsError' || 'syscall' in error))
    if (!isToldByLine) throw error
    const { problems = [messageOf(error)] } = error as { problems?: string[] }
    process.stderr.write(`${problems.join('\n')}\n`)
  }
}

/** Where progress is shown. */
export interface Output {
  write (text: string): unknown
  /** A terminal: one line is drawn over and over; otherwise a line now and then. */
  isTTY?: boolean
  columns?: number
}

/** Draws over the line of a terminal; elsewhere nothing. Whether it is one. */
export function redraw (out: Output, text: string): boolean {
  if (out.isTTY === true) out.write(`\r\x1b[2K${text.slice(0, (out.columns ?? 80) - 1)}`)
  return out.isTTY === true
}

/** Between two lines where no terminal shows them, and between two drawings where one does, ms. */
const [LINE_MS, DRAW_MS] = [10_000, 100]

/** Shows how far something is, by a line drawn over and over, elsewhere by one now and then; the last in any case. */
export function createProgress (out: Output): (text: string, isLast?: boolean) => void {
  let shown = -Infinity
  return (text, isLast = false) => {
    if (!isLast && performance.now() - shown < (out.isTTY === true ? DRAW_MS : LINE_MS)) return
    shown = performance.now()
    if (!redraw(out, text)) out.write(`${text}\n`)
    else if (isLast) out.write('\n')
  }
}

/** Of a share, 0 to 1. */
export const bar = (share: number): string => '█'.repeat(Math.round(share * 24)).padEnd(24, '░')

/** One answer; header names in lower case. */
export interface Answer { status: number, headers: Record<string, string | undefined>, text: string }

/** Longest wait for a limit, s: this service's turns with the minute. */
const MAX_WAIT = 60

/** An answer; a limit is waited for, as a crawler would. Ends the process with status 2 where nobody answers. */
export async function ask (
  url: string | URL, init?: RequestInit, onLimit: (seconds: number) => void = () => {}
): Promise<Answer> {
  for (;;) {
    try {
      const answer = await fetch(url, init)
      const text = await answer.text()
      const { status, headers } = answer
      if (status !== 429) return { status, headers: Object.fromEntries(headers), text }
      // it may be a date, or missing
      const seconds = Math.min(Number(headers.get('retry-after')) || 10, MAX_WAIT)
      onLimit(seconds)
      await setTimeout(1000 * seconds)
    } catch (error) {
      refuse(`${new URL(url).origin} can't be asked: ${messageOf((error as Error).cause ?? error)}`)
    }
  }
}

/** A whole number of a flag from `min` to `max`. Throws a UsageError. */
export function wholeNumber (flag: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (value >= min && value <= max) return value
  throw new UsageError(`--${flag} ${text}: a whole number from ${min} to ${max}`)
}

/** A base URL of a flag. Throws a UsageError. */
export function httpUrl (flag: string, text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text)
  throw new UsageError(`--${flag} ${text}: an http or https URL`)
}
