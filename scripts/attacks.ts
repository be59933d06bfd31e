/**
 * Carries out attacks and prints the figures before and after: each on a market of two honest DAOs of its own, or all
 * on the running demo, which prints the addresses.
 */
import { ATTACKS } from './attacks/attacks.js'
import { httpUrl, readCommandLine, refuse, runScript, UsageError } from './command-line.js'
import { openDemo } from './attacks/demo.js'
import { openStage } from './attacks/stage.js'

const USAGE =
  'npm run attacks -- [--url <the demo\'s service> --chain <where its chain takes moves>] ' +
    `[${Object.keys(ATTACKS).join('] [')}]`

const { values, positionals: wanted } = readCommandLine(
  USAGE, { url: { type: 'string' }, chain: { type: 'string' } }, true
)
for (const name of wanted) if (ATTACKS[name] === undefined) refuse(`${name}: one of ${Object.keys(ATTACKS).join(', ')}`)

function figure (value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return value.map(figure).join(', ')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value).map(([key, one]) => `${key} ${figure(one)}`).join(', ')
}

await runScript(async () => {
  const { url, chain } = values
  if ((url === undefined) !== (chain === undefined)) throw new UsageError(`--url and --chain go together: ${USAGE}`)
  const open = url === undefined || chain === undefined
    ? openStage
    : () => openDemo(httpUrl('url', url), httpUrl('chain', chain))
  const bent: string[] = []
  for (const [name, { what, run, show, holds }] of Object.entries(ATTACKS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const scene = await open()
    console.log(`\n${name}: ${what}`)
    const before = await show(await scene.look(), scene)
    await run(scene)
    const after = await show(await scene.look(), scene)
    await scene.close()
    for (const key of Object.keys({ ...before, ...after })) {
      const [was, is] = [figure(before[key]), figure(after[key])]
      console.log(`  ${key}: ${was === is ? `${is}, as before` : `${was} before, ${is} after`}`)
    }
    if (!holds(before, after)) bent.push(name)
    console.log(bent.includes(name) ? '  not held: the figures are not what they should be' : '  held')
  }
  if (bent.length === 0) return
  process.stderr.write(`not held: ${bent.join(', ')}\n`)
  process.exitCode = 1
})
