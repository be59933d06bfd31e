import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRecording } from '../lib/recording/recording.js'
import { serveRecording } from '../lib/recording/serve.js'

/** `npm run replay -- NAME [--port 8899]`: serves a recording (of test/fixtures, or a folder) as a JSON-RPC node, until Ctrl-C. */

const { values: { port }, positionals: [name] } = parseArgs({ options: { port: { type: 'string', default: '8899' } }, allowPositionals: true })
const path = [join('test/fixtures', name ?? ''), name ?? ''].map(folder => join(folder, 'recording.json')).find(existsSync)
if (path === undefined) {
  process.stderr.write('usage: npm run replay -- NAME [--port 8899], where test/fixtures/NAME/recording.json exists\n')
  process.exit(2)
}

const recording = readRecording(readFileSync(path, 'utf8'))
const missing = new Set<string>()
const node = await serveRecording(recording, {
  port: Number(port),
  onMissing (message) {
    if (!missing.has(message)) process.stderr.write(`${message}\n`)
    missing.add(message)
  }
})
process.stdout.write(`${path}, as it was at ${new Date(recording.time * 1000).toISOString()}. Run the service on it with

  CHAIN_RPC_URL=${node.url} CHAIN_WS_URL= FACTORY_ADDRESS=${recording.program} ROUTER_ADDRESS=${recording.program} DATA_DIR=data/replay

`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { node.close().catch(() => {}) })
