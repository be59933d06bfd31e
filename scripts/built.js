// Runs what the build has made: `node scripts/built.js export --what …` a script, `node scripts/built.js start` the
// service. Says so in one line where there is no build yet.
import { existsSync } from 'node:fs'

const [name] = process.argv.splice(2, 1)
const isService = name === 'start'
const file = new URL(isService ? '../dist/server.js' : `../dist/scripts/${name}.js`, import.meta.url)
if (existsSync(file)) await import(file.href)
else {
  const command = isService ? 'npm start' : `npm run ${name}`
  process.stderr.write(`${command} runs what the build makes: \`npm run build\` first\n`)
  process.exitCode = 2
}
