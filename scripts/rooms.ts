/**
 * Prints what each room of `lib`, and each other folder, holds: bytes, lines, files, and lines of more than 120
 * columns: `npm run rooms`.
 */
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

interface Sum { files: number, bytes: number, lines: number, wide: number }
const nothing = (): Sum => ({ files: 0, bytes: 0, lines: 0, wide: 0 })
const rooms = new Map<string, Sum>()

function count (room: string, path: string): void {
  const text = readFileSync(path)
  const lines = text.toString('utf8').split('\n')
  const sum = rooms.get(room) ?? nothing()
  sum.files++
  sum.bytes += text.length
  sum.lines += lines.length - 1
  sum.wide += lines.filter(line => [...line].length > WIDE).length
  rooms.set(room, sum)
}

for (const folder of FOLDERS) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXTS.has(extname(entry.name))) continue
    const [room] = join(entry.parentPath, entry.name).slice(join(ROOT, folder).length + 1).split(sep)
    // a file of lib itself stands in no room
    const name = folder !== 'lib' ? folder : room === entry.name ? 'lib itself' : `lib/${room}`
    count(name, join(entry.parentPath, entry.name))
  }
}

const inLib = [...rooms].filter(([room]) => room.startsWith('lib')).map(([, sum]) => sum)
const whole = inLib.reduce((all, one) => {
  for (const key of Object.keys(all) as Array<keyof Sum>) all[key] += one[key]
  return all
}, nothing())
const row = (cells: Array<string | number>): string =>
  cells.map((cell, at) => at === 0 ? String(cell).padEnd(20) : String(cell).padStart(9)).join('')
console.log(row(['room', 'bytes', 'lines', 'files', `over ${WIDE}`]))
const shown = ([room, { bytes, lines, files, wide }]: [string, Sum]): string => row([room, bytes, lines, files, wide])
for (const one of rooms) if (one[0].startsWith('lib')) console.log(shown(one))
console.log(shown(['lib, all of it', whole]))
for (const one of rooms) if (!one[0].startsWith('lib')) console.log(shown(one))
