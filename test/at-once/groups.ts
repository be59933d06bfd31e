import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/**
 * Test files that share a process in a run of all: to start one, load the service and compile what it runs costs two
 * seconds, and most need less than that themselves. They are those that .taprc leaves out; by its name each runs alone.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const EVERY = '/*.test.ts'

/** By where a file stands; the first that fits. */
const GROUPS = {
  browser: /^test\/system\/(browser\/|contract\/page\.)/,
  contract: /^test\/system\/contract\//,
  // what waits most and takes longest begins with the others, so that the end is not left to one processor
  replicas: /^test\/system\/replicas\//,
  worlds: /^test\/system\/worlds\//,
  reliability: /^test\/system\/reliability\//,
  history: /^test\/lib\/history\/(?!rules\/)/,
  chain: /^test\/lib\/chain\//,
  scripts: /^test\/scripts\/(?!recording\/)/,
  plugins: /^test\/plugins\//,
  routes: /^test\/routes\//,
  rules: /^test\//
}
type Group = keyof typeof GROUPS
const groupOf = (pattern: string): Group | undefined => (Object.keys(GROUPS) as Group[]).find(
  group => GROUPS[group].test(pattern)
)

function filesOf (pattern: string): string[] {
  const folder = join(ROOT, dirname(pattern))
  const files = readdirSync(folder).filter(name => name.endsWith('.test.ts')).map(name => join(folder, name)).filter(
    path => pattern.endsWith(EVERY) || path === join(ROOT, pattern)
  )
  if (files.length === 0) throw new Error(`${pattern}: there is no such test`)
  return files.sort()
}

/**
 * Loads the files of a group, whose tests then run one after the other. Throws where .taprc leaves out one that is not
 * there, or none of the group.
 */
export async function runAtOnce (group: Group): Promise<void> {
  const { exclude } = parse(readFileSync(join(ROOT, '.taprc'), 'utf8')) as { exclude: string[] }
  const files = exclude.filter(pattern => groupOf(pattern) === group).flatMap(filesOf)
  if (files.length === 0) throw new Error(`${group}: .taprc leaves out no file of it`)
  for (const file of files) await import(file)
}
