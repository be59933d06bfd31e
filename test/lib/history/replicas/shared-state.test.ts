import { test } from 'tap'
import { systemClock } from '../../../../lib/clock.js'
import { countSessions, openSession } from '../../../../lib/history/replicas/leader-lock.js'
import { openPostgresReader } from '../../../../lib/history/replicas/reader.js'
import { readSharedState, writeSharedState } from '../../../../lib/history/replicas/shared-state.js'
import { preparePostgres } from '../../../../lib/history/store/postgres.js'
import { parseDatabaseUrl } from '../../../../lib/history/store/postgres-connection.js'
import { ask, newPlace, withoutPostgres } from '../../../support/history/postgres.js'
import { until } from '../../../support/until.js'

const skip = await withoutPostgres()
const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
/** The clock of a machine that is an hour ahead. */
const ahead = { ...systemClock, now: () => systemClock.now() + 3_600_000 }

test('a state is published by the one who leads, and as old for the others as it is', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const place = parseDatabaseUrl(url)
  await preparePostgres(place, { program: PROGRAM })
  const reader = await openPostgresReader(place)
  const session = await openSession(place)
  t.teardown(async () => {
    await session.close()
    await reader.store.close()
  })
  t.equal(await readSharedState(reader, systemClock, undefined), undefined, 'nothing yet')
  t.equal(session.token(), undefined)
  await session.tryToLead()
  const token = session.token()!
  const bytes = Buffer.from([0, 1, 255, 0, 39, 92])

  const seenAt = systemClock.now() - 4_000
  const begun = systemClock.now()
  await writeSharedState(reader, systemClock, token, { slot: 300_000_000, seenAt, bytes })
  const found = await readSharedState(reader, ahead, 7)
  const margin = systemClock.now() - begun + 1
  t.same([found!.slot, found!.bytes], [300_000_000, bytes])
  const error = found!.seenAt - 3_600_000 - seenAt
  t.ok(error <= 1 && error >= -margin, `${error} ms younger; never younger than it is, nor older than what asking takes`)
  t.equal((await readSharedState(reader, systemClock, 300_000_000))!.bytes, null, 'bytes that are known are not sent again')

  await writeSharedState(reader, systemClock, token, { slot: 300_000_001, seenAt, bytes: Buffer.alloc(3) })
  t.same(await ask(`select id, slot from "${schema}".shared_state`), [{ id: 1, slot: '300000001' }], 'one row')

  await ask(`update "${schema}".meta set value = (value::int + 1)::text where key = 'epoch'`)
  await t.rejects(writeSharedState(reader, systemClock, token, { slot: 300_000_002, seenAt, bytes }), { code: 'HISTORY_UNAVAILABLE', message: /another process writes/ })
  t.equal((await readSharedState(reader, systemClock, undefined))!.slot, 300_000_001, 'who was replaced publishes nothing')

  await ask(`update "${schema}".shared_state set seen_at = extract(epoch from clock_timestamp()) + 100`)
  t.equal(await readSharedState(reader, systemClock, undefined), undefined, 'of the future: the server\'s clock was set back')
  await ask(`drop table "${schema}".shared_state`)
  await t.rejects(readSharedState(reader, systemClock, undefined), { code: 'HISTORY_UNAVAILABLE' })
})

test('it is known how many processes are there, and of which schema', { skip }, async t => {
  const [place, other] = [newPlace(t), newPlace(t)]
  const open = async ({ url }: { url: string }) => {
    await preparePostgres(parseDatabaseUrl(url), { program: PROGRAM })
    const session = await openSession(parseDatabaseUrl(url))
    t.teardown(() => session.close())
    return session
  }
  const [first, second] = [await open(place), await open(place)]
  await open(other)
  t.same([await countSessions(first.db, place.schema), await countSessions(first.db, other.schema)], [2, 1])
  await second.close()
  await until('the second has gone', async () => await countSessions(first.db, place.schema) === 1)
})
