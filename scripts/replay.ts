import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommandLine, refuse, runScript, wholeNumber } from './command-line.js'
import { readRecording } from './recording/recording.js'
import { serveRecording } from './recording/replay.js'

/** Serves a recording (of test/fixtures, or a folder) as a JSON-RPC node, until Ctrl-C. */

const USAGE = 'npm run replay -- NAME [--port 8899]'

function recordings (): string {
  const names = existsSync('test/fixtures')
    ? readdirSync('test/fixtures').filter(folder => existsSync(join('test/fixtures', folder, 'recording.json')))
    : []
  return `recordings: ${names.join(', ') || 'none'}`
}

const { values: { port }, positionals: [name] } = readCommandLine(
  `${USAGE}; ${recordings()}`, { port: { type: 'string', default: '8899' } }, true
)
const path = (name === undefined ? [] : [join('test/fixtures', name), name])
  .map(folder => join(folder, 'recording.json')).find(existsSync)
if (path === undefined) refuse(`${name === undefined ? USAGE : `there is no recording ${name}`}; ${recordings()}`)

await runScript(async () => {
  const recording = readRecording(readFileSync(path, 'utf8'))
  const missing = new Set<string>()
  const node = await serveRecording(recording, {
    port: wholeNumber('port', port, 0, 65_535),
    onMissing (message) {
      if (!missing.has(message)) process.stderr.write(`${message}\n`)
      missing.add(message)
    }
  })
  const { program, time } = recording
  process.stdout.write(`${path}, from ${new Date(time * 1000).toISOString()}. Run the service on it with

  CHAIN_RPC_URL=${node.url} CHAIN_WS_URL= FACTORY_ADDRESS=${program} ROUTER_ADDRESS=${program} DATA_DIR=data/replay

`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { node.close().catch(() => {}) })
})
