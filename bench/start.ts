/**
 * How long the built service takes from its start to its first answer, and what it weighs then, against `node -e 0` in
 * the same run: `npm run build && npm run bench -- start [--rounds 7]`.
 */
import { spawnSync } from 'node:child_process'
import { startBuilt } from './support/built-service.js'
import { median } from './support/measure.js'
import { options } from './support/run.js'
import { settingsOf } from './support/settings.js'
import { PROGRAM } from './support/swap-event.js'

const { rounds } = options({ rounds: 7 })

async function start (): Promise<{ ms: number, megabytes: number }> {
  const service = await startBuilt(settingsOf('http://127.0.0.1:9', PROGRAM))
  const megabytes = service.megabytes().now
  await service.stop()
  return { ms: service.startMs, megabytes }
}

function bare (): number {
  const begun = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - begun
}

const starts = []
const bares = []
for (let round = 0; round < rounds; round++) {
  bares.push(bare())
  starts.push(await start())
}
const ms = median(starts.map(({ ms }) => ms))
console.log(
  `from the start to the first answer: ${ms.toFixed(0)} ms (median ` +
    `of ${starts.length}), ${median(starts.map(({ megabytes }) => megabytes)).toFixed(0)} MB resident`
)
console.log(`node -e 0: ${median(bares).toFixed(0)} ms; ratio ${(ms / median(bares)).toFixed(1)}`)
