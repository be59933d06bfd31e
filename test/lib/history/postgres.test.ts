import { test } from 'tap'
import { openPostgresStore } from '../../../lib/history/postgres.js'
import { newPlace, withoutPostgres } from './support/postgres.js'
import { testStore } from './store-suite.js'

const skip = await withoutPostgres()
if (skip !== false) test('PostgreSQL', { skip }, async () => {})
else {
  testStore<string>({
    name: 'PostgreSQL',
    newPlace: async t => newPlace(t).url,
    open: async (url, identity) => await openPostgresStore({ url, ...identity })
  })
}
