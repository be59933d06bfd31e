import { test } from 'tap'
import { ask as askPostgres, newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { crawl } from './crawl.js'

test('thirty hours on three replicas: they never disagree on a range', {
  skip: await withoutPostgres()
}, async t => {
  const { url, schema } = newPlace(t)
  await crawl(t, {
    env: { DATABASE_URL: url },
    services: 3,
    hours: 30,
    async late () {
      const rows = await askPostgres(
        `select d.address as dao, e.slot, e.kind from "${schema}".late l join "${schema}".events e on l.dao = e.dao and l.seq = e.seq join "${schema}".daos d on d.id = l.dao where l.what = 'event'`
      )
      return rows.map(({ dao, slot, kind }) => ({ dao: String(dao), slot: Number(slot), kind: String(kind) }))
    }
  })
})
