/** Prints what each room of `lib`, and each other folder, holds. */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { readCommandLine } from './command-line.js'

readCommandLine('npm run rooms', {})
const ROOT = join(import.meta.dirname, '..')
const FOLDERS = [
  'lib', 'schemas', 'plugins', 'routes', 'public', 'scripts', 'simulator', 'bench', 'test', 'docs', 'examples',
  'deploy', 'idl'
]
const TEXTS = new Set(['.ts', '.js', '.json', '.md', '.html', '.css', '.svg', '.py', '.yml', '.yaml', '.txt', '.sh'])
const WIDE = 120

/** Bytes, lines, files, wide lines. */
type Sum = [number, number, number, number]
const rooms = new Map<string, Sum>()
const inLib: Sum = [0, 0, 0, 0]
function add (sum: Sum, text: string): Sum {
  const lines = text.split('\n')
  const counts = [Buffer.byteLength(text), lines.length - 1, 1, lines.filter(line => [...line].length > WIDE).length]
  for (const [at, count] of counts.entries()) sum[at]! += count
  return sum
}

for (const folder of FOLDERS) {
  for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!TEXTS.has(extname(path))) continue
    const [room] = path.split(sep)
    const name = folder !== 'lib' ? folder : room === path ? 'lib itself' : `lib/${room}`
    const text = readFileSync(join(ROOT, folder, path), 'utf8')
    rooms.set(name, add(rooms.get(name) ?? [0, 0, 0, 0], text))
    if (folder === 'lib') add(inLib, text)
  }
}

const tell = (name: string, cells: Array<string | number>): void =>
  console.log(name.padEnd(20) + cells.map(cell => String(cell).padStart(9)).join(''))
tell('room', ['bytes', 'lines', 'files', `over ${WIDE}`])
const isLib = ([name]: [string, Sum]): boolean => name.startsWith('lib')
for (const one of [...rooms].filter(isLib)) tell(...one)
tell('lib, all of it', inLib)
for (const one of [...rooms].filter(one => !isLib(one))) tell(...one)
