/**
 * Moves a history between engines. The service must be stopped. It can be ended with Ctrl-C and run again; the target
 * can be used once it has said so.
 */
import { copyStore } from './migrate/copy.js'
import { bar, createProgress, readCommandLine, runScript, texts, UsageError } from './command-line.js'
import { openEngine } from './open-engine.js'

const USAGE = 'migrate --from sqlite:FOLDER --to postgres://…  (or from postgres to sqlite)'

const progress = createProgress(process.stdout)

function show (rows: number, of: number): void {
  const share = of === 0 ? 1 : rows / of
  const text = `copied ${rows} of ${of} rows, ${Math.floor(share * 100)} %`
  progress(process.stdout.isTTY ? `${bar(share)} ${text}` : text, rows >= of)
}

const { values } = readCommandLine(USAGE, texts('from', 'to'))

await runScript(async signal => {
  if (values.from === undefined || values.to === undefined) throw new UsageError(USAGE)
  const from = await openEngine(values.from)
  try {
    const to = await openEngine(values.to, { mayBeNew: true })
    try {
      const { program, rows } = await copyStore({ from, to, signal, onProgress: show })
      console.log(`The history of ${program} has been copied and compared row by row; the target can be used.`)
      console.log(`rows: ${Object.entries(rows).map(([table, number]) => `${table} ${number}`).join(', ')}`)
    } finally {
      await to.release()
    }
  } finally {
    await from.release()
  }
}, { interrupted: 'run it again to go on. Until then the target can\'t be used.' })
