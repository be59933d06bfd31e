/**
 * `npm run bench -- replicas [--kills 10]`: three replicas of the whole service under load on one PostgreSQL, while the
 * one that writes is killed ten times, all connections are cut twice, and the one that writes is stopped for 20 s and
 * goes on. Prints how long nobody wrote; ends with status 1 where a swap was lost or counted twice, a number was wrong,
 * or two wrote at once.
 */
import { ask } from '../test/support/history/postgres.js'
import { setStage } from '../test/system/replicas/stage.js'
import { options } from './support/run.js'

const { kills: total } = options({ kills: 10 })
const PAUSE_MS = 20_000
const schema = `bench_replicas_${process.pid}`
const stage = await setStage({ url: `postgres://postgres@127.0.0.1:5432/test?schema=${schema}`, schema })
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
try {
  const kills: number[] = []
  const cuts: number[] = []
  for (let kill = 0; kill < total; kill++) {
    kills.push(await stage.killLeader())
    if (kill === Math.floor(total / 3) || kill === Math.floor(2 * total / 3)) cuts.push(await stage.cut())
  }
  const pause = await stage.pauseLeader(PAUSE_MS)
  const { problems, swaps, events, writers, writes } = await stage.settle()
  if (total > 0) {
    console.log(
    `nobody wrote: after ${kills.length} kills ${seconds(Math.min(...kills))} to ${seconds(Math.max(...kills))}, ` +
      `after ${cuts.length} cuts of all connections up to ${seconds(Math.max(...cuts))}, with the writer stopped ` +
        `for ${seconds(PAUSE_MS)} ${seconds(pause)}`
    )
  }
  console.log(
    `${swaps} swaps, ${events} events, ${writes} writes by ${writers} sessions, one after the other; answers by ` +
      `status: ${JSON.stringify(stage.load.answers)}`
  )
  console.log(
    problems.length === 0 ? 'no swap lost or counted twice, no wrong number' : [...new Set(problems)].join('\n')
  )
  if (problems.length > 0 || Math.max(...kills, ...cuts, pause) > 15_000) process.exitCode = 1
} finally {
  await stage.close()
  await ask(`drop schema if exists "${schema}" cascade`)
}
