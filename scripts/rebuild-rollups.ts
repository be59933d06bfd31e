/**
 * Makes what is kept beside the stored trades anew from them: candles, day sums and more. The service must be stopped.
 * It can be ended with Ctrl-C: what is then missing is made by the service, or by running it again.
 */
import { rebuildRollups } from './rebuild-stored.js'
import { createStore } from '../lib/history/store/create-store.js'
import { readCommandLine, redraw, runScript } from './command-line.js'
import { openEngine } from './open-engine.js'

const USAGE = 'rebuild-rollups --store sqlite:FOLDER|postgres://…  (sqlite:./data)'

const { values: { store: place } } = readCommandLine(USAGE, { store: { type: 'string', default: 'sqlite:./data' } })

await runScript(async signal => {
  const store = createStore(await openEngine(place))
  try {
    const swaps = await rebuildRollups({
      store,
      signal,
      onProgress: (done, of) => { redraw(process.stderr, `${done} of ${of} trades`) }
    })
    redraw(process.stderr, '')
    process.stderr.write(`candles and day sums of ${swaps} trades made anew\n`)
  } finally {
    await store.close()
  }
}, { interrupted: 'the service makes what is missing, or this when it is run again.' })
