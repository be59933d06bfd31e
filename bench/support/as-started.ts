/** Benchmarks of what the service does with Node as `npm start` calls it. */
import { spawnSync } from 'node:child_process'
import { HOME, startArguments } from './built-service.js'

const MARK = 'BENCH_AS_STARTED'

/**
 * Runs the benchmark in `file` in a process with the flags of `npm start`, and ends with it; returns where this process
 * is that one.
 */
export function runAsStarted (file: string): void {
  if (process.env[MARK] !== undefined) return
  const flags = startArguments(HOME).filter(argument => argument.startsWith('--'))
  const { status } = spawnSync(
    process.execPath,
    [...flags, ...process.execArgv, file, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } }
  )
  process.exit(status ?? 1)
}
