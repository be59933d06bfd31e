/**
 * Compiled copies of the sources with their tests, in which one file at a time is changed: no loader stands between a
 * change and its test.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bringUpToDate } from '../../test/support/compiled.js'
import { toJavaScript } from './mutants.js'

export interface Lane {
  /**
   * Whether one of `tests`, tried in turn, notices that `file` is `source`; one that has not ended after `maxMs` has.
   */
  notices (file: string, source: string, tests: readonly string[], maxMs: number): Promise<boolean>
}

const running = new Set<ChildProcess>()

/** As many lanes as are worked in at once, below `root`/.tap, and their end. */
export function createLanes (root: string, count: number): { lanes: Lane[], remove (): void } {
  const folder = join(root, '.tap', 'mutation')
  const whole = join(folder, 'whole')
  bringUpToDate(root, whole, { withTests: true })
  const paths = Array.from({ length: count }, (_, i) => join(folder, `lane-${process.pid}-${i}`))
  for (const path of paths) cpSync(whole, path, { recursive: true, verbatimSymlinks: true })
  return {
    lanes: paths.map(createLane),
    remove () {
      // one that a change has made endless would go on for ever
      for (const child of running) child.kill('SIGKILL')
      for (const path of paths) rmSync(path, { recursive: true, force: true })
    }
  }
}

function createLane (folder: string): Lane {
  const compiled = (path: string): string => join(folder, path.replace(/\.ts$/, '.js'))
  return {
    async notices (file, source, tests, maxMs) {
      const path = compiled(file)
      const original = readFileSync(path)
      writeFileSync(path, toJavaScript(source))
      try {
        // the first alone: most changes are noticed by a file's own test, and the others need not be loaded then
        const [own, ...others] = tests.map(compiled)
        return !await pass(folder, [own!], maxMs) || (others.length > 0 && !await pass(folder, others, maxMs))
      } finally {
        writeFileSync(path, original)
      }
    }
  }
}

async function pass (folder: string, tests: string[], maxMs: number): Promise<boolean> {
  return await new Promise(resolve => {
    // not as arguments: tap names folders after them
    const env = { PATH: process.env.PATH, TAP_BAIL: '1', TAP_TIMEOUT: '0', TESTS: tests.join('\n') }
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'run-tests.mjs')],
      { cwd: folder, stdio: 'ignore', timeout: maxMs, killSignal: 'SIGKILL', env }
    )
    running.add(child)
    child.on('exit', code => {
      running.delete(child)
      resolve(code === 0)
    })
  })
}
