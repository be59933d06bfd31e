/**
 * Carries out attacks on a simulated market of two honest DAOs and prints the figures before and after: `npm run attacks`, or
 * `npm run attacks -- dust fake-dollar` for some. No network.
 */
import { ATTACKS } from './attacks/attacks.js'
import { readCommandLine, refuse } from './command-line.js'
import { openStage } from './attacks/stage.js'

const { positionals: wanted } = readCommandLine(`npm run attacks -- [${Object.keys(ATTACKS).join('] [')}]`, {}, true)
for (const name of wanted) if (ATTACKS[name] === undefined) refuse(`${name}: one of ${Object.keys(ATTACKS).join(', ')}`)
for (const [name, { what, run, show }] of Object.entries(ATTACKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const stage = await openStage()
  console.log(`\n${name}: ${what}`)
  console.log('  before', await show(await stage.look(), stage))
  await run(stage)
  console.log('  after ', await show(await stage.look(), stage))
  await stage.close()
}
