import { existsSync, readFileSync } from 'node:fs'

const LIMITS = '/proc/self/limits'

/**
 * Files that a process may have open, by the text of its /proc/self/limits (proc(5)); Infinity where that names none.
 */
export function openFilesIn (limits: string): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? Infinity : Number(soft)
}

/** The same of this process; Infinity where the system does not tell. */
export const mostOpenFiles = (): number => existsSync(LIMITS) ? openFilesIn(readFileSync(LIMITS, 'utf8')) : Infinity

/** Connections that may be open at once, of `wanted`: the rest is for the store, the nodes and the log. */
export const connectionsWithin = (openFiles: number, wanted: number): number =>
  Math.max(1, Math.min(wanted, Math.floor(openFiles * 3 / 4) - 32))
