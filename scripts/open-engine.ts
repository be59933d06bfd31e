import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgresEngine } from '../lib/history/replicas/sole-writer.js'
import { prepareTables, type Engine } from '../lib/history/store/create-store.js'
import { openSqliteEngine } from '../lib/history/store/sqlite.js'
import { UsageError } from './command-line.js'

/**
 * The store at sqlite:FOLDER or a postgres URL, for this process to write alone. Throws a UsageError where there is
 * none, unless it `mayBeNew`.
 */
export async function openEngine (place: string, { mayBeNew = false } = {}): Promise<Engine> {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) return await openPostgresEngine(place)
  if (!place.startsWith('sqlite:')) throw new UsageError('a store is sqlite:FOLDER or a postgres URL')
  const folder = place.slice('sqlite:'.length)
  if (!mayBeNew && !existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history in ${folder}`)
  const engine = await openSqliteEngine(folder)
  await prepareTables(engine)
  return engine
}
