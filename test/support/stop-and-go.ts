import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * `npm run stop-and-go -- npx tap --jobs=1 FILE…`: a command on a machine that stalls. All its processes stop for 0.2
 * to 3 s at a time and go on for as long, so what takes a late answer for a wrong one fails.
 */

const pause = (): Promise<void> => wait(200 * 15 ** Math.random())

/** Those that descend from a process and are not stopped by somebody else, itself among them. */
function running (root: number): number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(name => {
    try {
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /, '').split(' ')
      return [{ pid: Number(name), parent: Number(parent), state }]
    } catch { // it has ended
      return []
    }
  })
  const found = [root]
  for (const pid of found) found.push(...all.filter(({ parent }) => parent === pid).map(child => child.pid))
  return all.filter(({ pid, state }) => found.includes(pid) && state !== 'T' && state !== 'Z').map(({ pid }) => pid)
}

function signal (pids: number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

const [command, ...args] = process.argv.slice(2)
if (command === undefined || command.startsWith('-')) {
  process.stderr.write('npm run stop-and-go -- COMMAND [ARGUMENTS]\n')
  process.exit(command === '--help' ? 0 : 2)
}
const child = spawn(command, args, { stdio: 'inherit' })
child.on('exit', (code, by) => process.exit(code ?? 128 + constants.signals[by!]))
for (;;) {
  await pause()
  const stopped = running(child.pid!)
  signal(stopped, 'SIGSTOP')
  await pause()
  signal(stopped, 'SIGCONT')
}
