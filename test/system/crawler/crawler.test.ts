import { join } from 'node:path'
import Database from 'libsql'
import { test } from 'tap'
import { crawl } from './crawl.js'

/** A week in a run of its own: `CRAWL_HOURS=168 npx tap --timeout=600 test/system/crawler/crawler.test.ts`. */
const HOURS = Number(process.env.CRAWL_HOURS ?? 30)

test(`${HOURS} hours on one process: its ranges stay, and the crawler has what the store has`, {
  timeout: 1_800_000 + HOURS * 8_000
}, async t => {
  const folder = t.testdir()
  await crawl(t, {
    env: { DATA_DIR: folder },
    services: 1,
    hours: HOURS,
    async late () {
      const db = new Database(join(folder, 'history.db'), { readonly: true })
      const rows = db.prepare(
        'select daos.address as dao, events.slot, events.kind from events join daos on daos.id = events.dao ' +
          'where late = \'event\''
      ).all()
      db.close()
      return rows as Array<{ dao: string, slot: number, kind: string }>
    }
  })
})
