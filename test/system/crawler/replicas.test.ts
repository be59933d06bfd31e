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
        `select d.address as dao, e.slot, e.kind
        from "${schema}".events e join "${schema}".daos d on d.id = e.dao where late = 'event'`
      )
      return rows.map(({ dao, slot, kind }) => ({ dao: String(dao), slot: Number(slot), kind: String(kind) }))
    }
  })
})
