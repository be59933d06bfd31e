/**
 * Carries out attacks and prints the figures before and after, without a network: each on a market of two honest DAOs of its own, or all on the running
 * demo, which prints the addresses. `--help` says how.
 */
import { ATTACKS } from './attacks/attacks.js'
import { httpUrl, readCommandLine, refuse, runScript, UsageError } from './command-line.js'
import { openDemo } from './attacks/demo.js'
import { openStage } from './attacks/stage.js'

const USAGE = `npm run attacks -- [--url <the demo's service> --chain <where its chain takes moves>] [${Object.keys(ATTACKS).join('] [')}]`

const { values, positionals: wanted } = readCommandLine(USAGE, { url: { type: 'string' }, chain: { type: 'string' } }, true)
for (const name of wanted) if (ATTACKS[name] === undefined) refuse(`${name}: one of ${Object.keys(ATTACKS).join(', ')}`)

await runScript(async () => {
  const { url, chain } = values
  if ((url === undefined) !== (chain === undefined)) throw new UsageError(`--url and --chain go together: ${USAGE}`)
  const open = url === undefined || chain === undefined ? openStage : () => openDemo(httpUrl('url', url), httpUrl('chain', chain))
  for (const [name, { what, run, show }] of Object.entries(ATTACKS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const scene = await open()
    console.log(`\n${name}: ${what}`)
    console.log('  before', await show(await scene.look(), scene))
    await run(scene)
    console.log('  after ', await show(await scene.look(), scene))
    await scene.close()
  }
})
