// Runs a script of the build, `node scripts/built.js export --what …`; says so in one line where there is no build yet.
import { existsSync } from 'node:fs'

const [name] = process.argv.splice(2, 1)
const file = new URL(`../dist/scripts/${name}.js`, import.meta.url)
if (existsSync(file)) await import(file.href)
else {
  process.stderr.write(`npm run ${name} runs what \`npm run build\` has made: build first\n`)
  process.exitCode = 2
}
