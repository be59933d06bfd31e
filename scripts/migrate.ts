/**
 * Moves a history between engines:
 * `npm run migrate -- --from sqlite:./data --to postgres://user@host/database?schema=history`, or back. The service
 * must be stopped. It can be ended with Ctrl-C and run again; the target can be used once it has said so.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isServiceError } from '../lib/errors.js'
import { openPostgresEngine } from '../lib/history/replicas/sole-writer.js'
import { openSqliteEngine } from '../lib/history/store/sqlite.js'
import { copyStore } from '../lib/history/copy.js'
import { prepareTables, type Engine } from '../lib/history/store/create-store.js'
import { readCommandLine, UsageError } from './command-line.js'

const BAR = 30
/** Between two lines where no terminal shows them, ms. */
const LINE_MS = 5000
const USAGE = 'migrate --from sqlite:FOLDER --to postgres://…  (or from postgres to sqlite)'

async function open (place: string, mayBeNew: boolean): Promise<Engine> {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) return await openPostgresEngine(place)
  if (!place.startsWith('sqlite:')) throw new UsageError('each place must be sqlite:FOLDER or a postgres URL')
  const folder = place.slice('sqlite:'.length)
  if (!mayBeNew && !existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history in ${folder}`)
  const engine = await openSqliteEngine(folder)
  await prepareTables(engine)
  return engine
}

function createProgress (out: NodeJS.WriteStream) {
  let shown = -Infinity
  return (what: string, rows: number, of: number) => {
    const share = of === 0 ? 1 : rows / of
    const text = `${what} ${rows} of ${of} rows, ${Math.floor(share * 100)} %`
    const last = rows >= of
    if (!last && performance.now() - shown < (out.isTTY ? 100 : LINE_MS)) return
    shown = performance.now()
    const filled = Math.round(share * BAR)
    out.write(
      out.isTTY ? `\r\x1b[2K${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${text}${last ? '\n' : ''}` : `${text}\n`
    )
  }
}

const { values } = readCommandLine(USAGE, { from: { type: 'string' }, to: { type: 'string' } })

async function run (signal: AbortSignal): Promise<void> {
  if (values.from === undefined || values.to === undefined) throw new UsageError(USAGE)
  const from = await open(values.from, false)
  try {
    const to = await open(values.to, true)
    try {
      const { program, rows, sums } = await copyStore({ from, to, signal, onProgress: createProgress(process.stdout) })
      console.log(`The history of ${program} has been copied and compared row by row; the target can be used.`)
      console.log(`rows: ${Object.entries(rows).map(([table, number]) => `${table} ${number}`).join(', ')}`)
      console.log(`sums: ${Object.entries(sums).map(([column, sum]) => `${column} ${sum}`).join(', ')}`)
    } finally {
      await to.release()
    }
  } finally {
    await from.release()
  }
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
try {
  await run(stopping.signal)
} catch (error) {
  if (stopping.signal.aborted) {
    process.stderr.write('\nInterrupted: run it again to go on. Until then the target can\'t be used.\n')
  } else if (isServiceError(error) || error instanceof UsageError) process.stderr.write(`${error.message}\n`)
  else throw error
  process.exitCode = 1
}
