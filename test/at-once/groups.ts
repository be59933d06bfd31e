import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/**
 * Test files that share a process in a run of all: to start one, load the service and compile what it runs costs two
 * seconds, and most need less than that themselves. They are all that .taprc does not name; by its name each runs
 * alone.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** By where a file is; the first that fits. */
const GROUPS = {
  browser: /^test\/system\/(browser\/|contract\/page\.)/,
  contract: /^test\/system\/contract\//,
  // what waits most and takes longest begins with the others, so that the end is not left to one processor
  replicas: /^test\/system\/replicas\//,
  reliability: /^test\/system\//,
  store: /^test\/lib\/(rate-limit\/|history\/(store\/|candles|copy|shared-history|upgrade|year))/,
  history: /^test\/lib\/history\/(?!rules\/)/,
  chain: /^test\/lib\/chain\//,
  scripts: /^test\/scripts\/(?!recording\/)/,
  plugins: /^test\/(plugins\/|server\.|start\.)/,
  market: /^test\/routes\/(daos|decisions|liquidity|pages|prices|proposals|stream|treasuries)\./,
  routes: /^test\/routes\//,
  rules: /^test\//
}
type Group = keyof typeof GROUPS

/** Loads the files of a group, whose tests then run one after the other. Throws where there is none. */
export async function runAtOnce (group: Group): Promise<void> {
  const { include } = parse(readFileSync(join(ROOT, '.taprc'), 'utf8')) as { include: string[] }
  const files = (readdirSync(join(ROOT, 'test'), { recursive: true }) as string[]).map(name => `test/${name}`).filter(
    file => file.endsWith('.test.ts') && !file.startsWith('test/at-once/') && !include.includes(file) &&
      Object.entries(GROUPS).find(([, pattern]) => pattern.test(file))![0] === group
  )
  if (files.length === 0) throw new Error(`${group}: there is no such test`)
  for (const file of files.sort()) await import(join(ROOT, file))
}
