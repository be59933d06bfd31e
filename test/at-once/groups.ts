import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopCoverage } from 'node:v8'
import '../support/no-domains.js'

/**
 * Test files that share a process in a run of all: to start one, load the service and compile what it runs costs two
 * seconds, and most need less than that themselves. By its name each runs alone. tap takes groups in the order of their
 * files' names: those that take longest are 0, the shortest 2, so that the end is not left to one processor.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** By where a file is; the first that fits. */
const GROUPS = {
  // alone: in simulated time, which is that of a whole process, or measuring what a process takes
  clocks: /^test\/system\/reliability\/clocks\./,
  faults: /^test\/system\/reliability\/faults\./,
  budget: /^test\/system\/budget\./,
  overload: /^test\/plugins\/overload\./,
  // alone, since each takes long
  crawler: /^test\/system\/crawler\/crawler\./,
  'crawler-replicas': /^test\/system\/crawler\/replicas\./,
  kill: /^test\/lib\/history\/kill\./,

  'browser-pages': /^test\/system\/browser\/(looks|market|pool|status)\./,
  'browser-whole': /^test\/system\/(browser\/|contract\/page\.)/,
  contract: /^test\/system\/contract\//,
  replicas: /^test\/system\/replicas\//,
  reliability: /^test\/system\//,
  store: /^test\/lib\/(rate-limit\/|history\/(store\/|candles|shared-history|upgrade|year))/,
  history: /^test\/lib\/history\/(?!rules\/)/,
  chain: /^test\/lib\/chain\//,
  checks: /^test\/scripts\/(attacks\.|listing\/|verify\.)/,
  scripts: /^test\/scripts\/(?!recording\/)/,
  plugins: /^test\/(plugins\/|server\.|start\.)/,
  market: /^test\/routes\/(daos|decisions|liquidity|pages|prices|proposals|stream|treasuries)\./,
  routes: /^test\/routes\//,
  rules: /^test\//
}
type Group = keyof typeof GROUPS

/**
 * Where the lines that tests run are counted, if they are: these alone run nearly all that any do, and counting costs a
 * third of a test's time.
 */
const COUNTED: readonly Group[] = ['store', 'history', 'chain', 'plugins', 'routes', 'rules']

/** Loads the files of a group, whose tests then run one after the other. Throws where there is none. */
export async function runAtOnce (group: Group): Promise<void> {
  if (!COUNTED.includes(group) && process.env.NODE_V8_COVERAGE !== undefined) {
    stopCoverage()
    // nor in the processes that it starts
    delete process.env.NODE_V8_COVERAGE
  }
  const files = (readdirSync(join(ROOT, 'test'), { recursive: true }) as string[]).map(name => `test/${name}`).filter(
    file => file.endsWith('.test.ts') && !file.startsWith('test/at-once/') &&
      Object.entries(GROUPS).find(([, pattern]) => pattern.test(file))![0] === group
  )
  if (files.length === 0) throw new Error(`${group}: there is no such test`)
  for (const file of files.sort()) await import(join(ROOT, file))
}
