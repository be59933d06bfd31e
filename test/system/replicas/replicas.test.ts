import { test } from 'tap'
import { newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { setStage } from './stage.js'

const skip = await withoutPostgres()

test(
  'three replicas under load: the leader killed, stopped and cut off, and no number wrong',
  { skip },
  async t => {
    const stage = await setStage(newPlace(t))
    t.teardown(() => stage.close())
    for (let kill = 0; kill < 3; kill++) {
      t.ok(await stage.killLeader() < 15_000, 'another writes within 15 s after a kill')
    }
    t.ok(await stage.cut() < 15_000, 'and after all connections were cut')
    t.ok(await stage.pauseLeader(0) < 15_000, 'and while the one who leads is stopped')
    t.ok(await stage.cut() < 15_000)
    const { problems, writers } = await stage.settle()
    t.same([...new Set(problems)], [])
    t.ok(writers >= 7, `${writers} sessions have written, one after the other`)
    t.ok((stage.load.answers[200] ?? 0) > 300, JSON.stringify(stage.load.answers))
  }
)
