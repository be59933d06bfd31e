import { join } from 'node:path'
import Database from 'libsql'
import { test } from 'tap'
import { crawl } from './crawl.js'

test('thirty hours on one process: its ranges stay, and the crawler has what the store has', { timeout: 170_000 }, async t => {
  const folder = t.testdir()
  await crawl(t, {
    env: { DATA_DIR: folder },
    services: 1,
    hours: 30,
    async late () {
      const db = new Database(join(folder, 'history.db'), { readonly: true })
      const rows = db.prepare('select daos.address as dao, events.slot, events.kind from late join events on late.dao = events.dao and late.seq = events.seq join daos on daos.id = late.dao where late.what = \'event\'').all()
      db.close()
      return rows as Array<{ dao: string, slot: number, kind: string }>
    }
  })
})
