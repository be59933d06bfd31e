/** What every benchmark begins with: its options, and a folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine, refuse } from '../../scripts/command-line.js'

type Kind<D> = D extends number ? number : D extends boolean ? boolean : string

/** The options of the command line by their defaults: a number, a text, or false for a flag. Others end the process. */
export function options<const D extends Record<string, string | number | false>> (
  defaults: D
): { [K in keyof D]: Kind<D[K]> } {
  const usage = Object.entries(defaults).map(
    ([name, value]) => value === false ? `[--${name}]` : `[--${name} ${value === '' ? '…' : value}]`
  )
  const { values } = readCommandLine(`options: ${usage.join(' ')}`, Object.fromEntries(Object.entries(defaults).map(
    ([name, value]) => [name, { type: value === false ? 'boolean' as const : 'string' as const }]
  )))
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => {
    const given = values[name] ?? value
    if (typeof value !== 'number') return [name, given]
    return [name, Number.isFinite(Number(given)) ? Number(given) : refuse(`--${name} ${given}: a number`)]
  })) as { [K in keyof D]: Kind<D[K]> }
}

const folders: string[] = []
/** A new folder, removed when this process ends. */
export function scratchFolder (): string {
  if (folders.length === 0) {
    process.once('exit', () => { for (const one of folders) rmSync(one, { recursive: true, force: true }) })
    // stores may take gigabytes: they go with an interrupted benchmark, too; npm sends a signal twice
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  folders.push(folder)
  return folder
}
