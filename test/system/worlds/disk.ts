/** The disk of a world: for a while it has no room, or fails, and the engine of the store says so in its own words. */
import { createRequire } from 'node:module'
import type { DiskWeather } from './plan.js'

const require = createRequire(import.meta.url)
const Database = require('libsql')

export interface Disk {
  /** From now on nothing can be written. */
  refuse (weather: DiskWeather): void
  accept (): void
  /** A process begins, which has tried nothing yet. */
  begin (): void
  /** What it does now; undefined: all is well. */
  readonly weather: DiskWeather | undefined
  /** Whether the last write that the process has tried has been refused for want of room. */
  readonly hasNoRoom: boolean
}

/** A table that is there is not made. */
const [BEGINS, WRITES, COMMITS] = [
  /^\s*begin\b/i, /^\s*(insert|update|delete|create(?! table if not exists)|alter|drop)\b/i, /^\s*commit\b/i
]

let current: { weather: DiskWeather | undefined, hasNoRoom: boolean } = { weather: undefined, hasNoRoom: false }

/** What is written now is the error's. */
let isOwn = false

/** The engine's own error, from a database that really has no room. */
function noRoom (): unknown {
  const file = new Database(':memory:')
  isOwn = true
  try {
    file.exec('pragma max_page_count = 2')
    file.exec('create table one (a)')
    file.prepare('insert into one values (?)').run(['x'.repeat(10_000)])
    throw new Error('a database without room has taken a row')
  } catch (error) {
    return error
  } finally {
    isOwn = false
    file.close()
  }
}

/** The same error, as the engine gives it where the disk fails. */
function failing (): unknown {
  return Object.assign(new Database.SqliteError('disk I/O error', 'SQLITE_IOERR'), { rawCode: 10 })
}

/** Every statement of every database of this process, once it is loaded, passes here first. */
function watch (): void {
  const { prepare } = Database.prototype
  const origins = new WeakMap<object, { text: string, file: Transaction }>()
  const files = new WeakMap<object, Transaction>()
  let isWrapped = false
  function wrap (prototype: Record<string, (...args: unknown[]) => unknown>): void {
    for (const name of ['run', 'all', 'iterate']) {
      const plain = prototype[name]!
      prototype[name] = function (this: object, ...args: unknown[]) {
        const origin = origins.get(this)
        if (origin !== undefined) pass(origin.text, origin.file)
        return plain.apply(this, args)
      }
    }
    isWrapped = true
  }
  Database.prototype.prepare = function (this: object, text: string, ...rest: unknown[]) {
    const statement = prepare.call(this, text, ...rest)
    if (isOwn) return statement
    if (!isWrapped) wrap(Object.getPrototypeOf(statement))
    if (!files.has(this)) files.set(this, { hasWritten: false })
    origins.set(statement, { text, file: files.get(this)! })
    return statement
  }
}

/** What is open on a file; reading alone needs no room. */
interface Transaction { hasWritten: boolean }

function pass (text: string, file: Transaction): void {
  const { weather } = current
  const [isWrite, isEnd] = [WRITES.test(text), COMMITS.test(text) && file.hasWritten]
  if (weather !== undefined && (weather.at === 'commits' ? isEnd : isWrite)) {
    current.hasNoRoom = weather.error === 'full'
    throw current.hasNoRoom ? noRoom() : failing()
  }
  if (BEGINS.test(text)) file.hasWritten = false
  if (isWrite) file.hasWritten = true
  if (isEnd) current.hasNoRoom = false
}

watch()

/** The disk of one world; the one before it has none any more. */
export function createDisk (): Disk {
  const own: typeof current = { weather: undefined, hasNoRoom: false }
  current = own
  return {
    refuse (weather) { own.weather = weather },
    accept () { own.weather = undefined },
    begin () { own.hasNoRoom = false },
    get weather () { return own.weather },
    get hasNoRoom () { return own.hasNoRoom }
  }
}
