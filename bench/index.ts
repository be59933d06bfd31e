/** `npm run bench -- NAME [options]` runs one benchmark of this folder; without a name it lists them. */
import { readdirSync } from 'node:fs'

const names = readdirSync(import.meta.dirname)
  .filter(file => file.endsWith('.ts') && file !== 'index.ts')
  .map(file => file.slice(0, -3))
const [name] = process.argv.slice(2)
if (name !== undefined && names.includes(name)) {
  process.argv.splice(2, 1)
  await import(`./${name}.ts`)
} else {
  console.log(`benchmarks: ${names.join(', ')}\nnpm run bench -- NAME [options]`)
  process.exitCode = name === undefined || name === '--help' ? 0 : 2
}
