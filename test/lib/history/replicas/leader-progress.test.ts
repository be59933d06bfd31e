import { test } from 'tap'
import { createProgressWriter, readLeaderProgress } from '../../../../lib/history/replicas/leader-progress.js'
import { openPostgresReader } from '../../../../lib/history/replicas/follower.js'
import { createStore } from '../../../../lib/history/store/create-store.js'
import { openPostgresEngine } from '../../../../scripts/open-engine.js'
import { parseDatabaseUrl } from '../../../../lib/history/store/postgres-connection.js'
import { ask, newPlace, withoutPostgres } from '../../../support/history/postgres.js'

const skip = await withoutPostgres()

test('who leads next tells what was compared before, until it has compared', { skip }, async t => {
  const engine = await openPostgresEngine(newPlace(t).url)
  t.teardown(() => engine.release())
  const store = createStore(engine)
  const moment = (slot: number) => ({ slot, time: 1_767_225_600 + slot })
  const missingOwners = { slot: 7, owners: { A: [7] } }
  const seen = { sequenceGaps: new Map(), isLost: () => false, missingOwners }
  const tell = async (verified: number | null) => {
    const verifiedTo = verified === null ? null : moment(verified)
    await createProgressWriter(store)({ ...seen, verifiedTo } as never)
    return await readLeaderProgress(store)
  }
  t.match(await tell(null), { verifiedTo: null })
  t.match(await tell(8), { verifiedTo: moment(8), missingOwners })
  t.match(await tell(null), { verifiedTo: moment(8) })
  t.match(await tell(11), { verifiedTo: moment(11) })
})

test('a gap that was lost is told by who leads next, until it has been filled', { skip }, async t => {
  const engine = await openPostgresEngine(newPlace(t).url)
  t.teardown(() => engine.release())
  const store = createStore(engine)
  const tell = async (gaps: bigint[], isLost: boolean, ended = true, size = 0n) => {
    const sequenceGaps = new Map([['A', gaps.map(from => ({ dao: 'A', from, to: from + size }))]])
    const walked = { indexedRanges: [], ended }
    await createProgressWriter(store)({ ...walked, sequenceGaps, isLost: () => isLost } as never)
    return [...(await readLeaderProgress(store)).lost].sort()
  }
  t.same(await tell([1n, 7n], true), ['A 1 1', 'A 7 7'])
  t.same(await tell([1n, 7n, 9n], false), ['A 1 1', 'A 7 7'], 'by one that has not searched yet')
  t.same(await tell([9n], false, false), ['A 1 1', 'A 7 7'], 'nor walked to where first numbers show')
  t.same(await tell([1n, 9n], false), ['A 1 1'])
  t.same(await tell([1n, 9n], false, true, 1n), [], 'one that has grown may be to come')
})

test('who has waited long for others\' readings is told so, and reads nothing', { skip }, async t => {
  const { url } = newPlace(t)
  const engine = await openPostgresEngine(url)
  await engine.release()
  const { store, together } = openPostgresReader(parseDatabaseUrl(url))
  t.teardown(() => store.close())
  let read = 0
  const slow = together(() => new Promise(resolve => setTimeout(resolve, 5_200)))
  await t.rejects(together(async () => { read++ }), { code: 'HISTORY_UNAVAILABLE', message: /takes too long/ })
  await slow
  t.equal(read, 0)
  await together(async () => { read++ })
  t.equal(read, 1)
})

test('a DAO that a database set back has forgotten gets nothing of the one with its number', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const engine = await openPostgresEngine(url)
  await engine.release()
  await ask(`insert into "${schema}".daos (id, address) values (1, 'forgotten')`)
  await ask(
    `insert into "${schema}".events (revision, dao, seq, kind, slot, at, signature, event_index, side, input, output)
    values (1, 1, 1, 'SpotSwap', 1, 1, 's', 0, 'buy', 1, 1)`
  )
  const { store } = openPostgresReader(parseDatabaseUrl(url))
  t.teardown(() => store.close())
  const trades = async () => [
    (await store.trades({ dao: 'forgotten', limit: 9 })).length,
    (await store.trades({ dao: 'another', limit: 9 })).length
  ]
  t.same(await trades(), [1, 0])
  await ask(`update "${schema}".daos set address = 'another'`)
  await store.load()
  t.same(await trades(), [0, 1])
})
