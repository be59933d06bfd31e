import { test } from 'tap'
import { daosReport } from '../../../lib/market/dao-report.js'

test('the report of many DAOs lists each with its reason, and lets the event loop go while it is made', async t => {
  const found = Array.from({ length: 60_000 }, (_, at) => ({ address: `dao ${at}`, dao: undefined, leftOut: at % 3 === 0 ? 'undecodable' : undefined }))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const report = await daosReport({
    slot: 7, found, incomplete: new Set(['dao 1']), indexed: new Map([['dao 2', { indexed: 9n, sequenceGaps: [[2n, 4n], [6n, 6n]], firstSwap: 0 }]]), usd: () => undefined
  })
  clearInterval(timer)
  t.ok(turns > 0)
  t.match(report, { slot: 7, discovered: 60_000, listed: 39_999, left_out: 20_001 })
  const of = (name: string) => report.daos.find(({ dao }) => dao === name)
  t.match([of('dao 0'), of('dao 1'), of('dao 2')], [{ reason: 'undecodable' }, { reason: 'history incomplete' }, { reason: null, missing_events: '4', sequence_indexed: '9', first_swap: '1970-01-01T00:00:00.000Z' }])
  t.same(report.daos.map(({ dao }) => dao), [...report.daos].map(({ dao }) => dao).sort())
})
