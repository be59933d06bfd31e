/**
 * Makes candles, day sums and what else is kept beside the trades anew from the stored trades: `npm run rebuild-rollups
 * -- --store sqlite:./data`, or a
 * postgres URL. The service must be stopped. It can be ended with Ctrl-C: what is then missing is made by the service,
 * or by running it again.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isServiceError } from '../lib/errors.js'
import { rebuildRollups } from '../lib/history/rebuild.js'
import { openPostgresEngine } from '../lib/history/replicas/sole-writer.js'
import { createStore, prepareTables, type Engine } from '../lib/history/store/create-store.js'
import { openSqliteEngine } from '../lib/history/store/sqlite.js'
import { readCommandLine, UsageError } from './command-line.js'

const USAGE = 'rebuild-rollups --store sqlite:FOLDER|postgres://…  (sqlite:./data)'

async function open (place: string): Promise<Engine> {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) return await openPostgresEngine(place)
  if (!place.startsWith('sqlite:')) throw new UsageError(USAGE)
  const folder = place.slice('sqlite:'.length)
  if (!existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history in ${folder}`)
  const engine = await openSqliteEngine(folder)
  await prepareTables(engine)
  return engine
}

const { values: { store: place } } = readCommandLine(USAGE, { store: { type: 'string', default: 'sqlite:./data' } })

async function run (signal: AbortSignal): Promise<void> {
  const store = await createStore(await open(place))
  try {
    const swaps = await rebuildRollups({
      store,
      signal,
      onProgress (done, of) { if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${done} of ${of} trades`) }
    })
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}candles and day sums of ${swaps} trades made anew\n`)
  } finally {
    await store.close()
  }
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
try {
  await run(stopping.signal)
} catch (error) {
  if (stopping.signal.aborted) {
    process.stderr.write('\nInterrupted: the service makes what is missing, or this when it is run again.\n')
  } else if (isServiceError(error) || error instanceof UsageError) process.stderr.write(`${error.message}\n`)
  else throw error
  process.exitCode = 1
}
