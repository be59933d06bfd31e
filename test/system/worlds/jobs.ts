/**
 * Worlds in several processes side by side, each with its share of them: simulated time replaces that of a whole
 * process.
 */
import { type ChildProcess, fork } from 'node:child_process'

/** What worlds amount to; `doubtful`: ended where too many witnesses were wrong; `simulated` in seconds. */
export interface Tally {
  run: number
  failed: number
  doubtful: number
  answers: number
  served: number
  simulated: number
}

export const NONE: Readonly<Tally> = { run: 0, failed: 0, doubtful: 0, answers: 0, served: 0, simulated: 0 }

export const sum = (a: Tally, b: Tally): Tally => ({
  run: a.run + b.run,
  failed: a.failed + b.failed,
  doubtful: a.doubtful + b.doubtful,
  answers: a.answers + b.answers,
  served: a.served + b.served,
  simulated: a.simulated + b.simulated
})

/** Few collections of young objects, most of which live for one simulated second. */
const NODE_FLAGS = ['--import', 'tsx', '--max-semi-space-size=32']

/** Tells the process that has started this one, where there is one, how far it is. */
export async function tell (tally: Tally): Promise<void> {
  if (process.send !== undefined) await new Promise<void>(resolve => { process.send!(tally, () => resolve()) })
}

/**
 * Runs `jobs` processes with these arguments and each its share of the worlds; what they find comes out as they find
 * it. `onProgress` is told what they have run. A process that ends before its share does counts as a world that failed.
 * `isOver`: one failure ends all.
 */
export async function runJobs (
  jobs: number, args: readonly string[], isOver: (tally: Tally) => boolean, onProgress: (tally: Tally) => void
): Promise<Tally> {
  const tallies: Tally[] = Array.from({ length: jobs }, () => NONE)
  const children: ChildProcess[] = []
  const all = (): Tally => tallies.reduce(sum, NONE)
  let isEnding = false
  await Promise.all(tallies.map((_, at) => new Promise<void>(resolve => {
    const child = fork(
      process.argv[1]!,
      [...args, '--share', `${at + 1}/${jobs}`],
      { execArgv: NODE_FLAGS, env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' } }
    )
    children.push(child)
    child.on('message', message => {
      tallies[at] = message as Tally
      onProgress(all())
      if (!isEnding && isOver(all())) {
        isEnding = true
        for (const other of children) if (other !== child) other.kill()
      }
    })
    child.on('exit', code => {
      const { run, failed } = tallies[at]!
      if (!isEnding && code !== 0 && failed === 0) tallies[at] = { ...tallies[at]!, run: run + 1, failed: 1 }
      resolve()
    })
  })))
  return all()
}
