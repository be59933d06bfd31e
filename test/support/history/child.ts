/**
 * Indexes a made-up year from the start or from where it was stopped, and says so: what the tests kill. Arguments:
 * folder, milliseconds per call.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseDecimal } from '../../../lib/decimal.js'
import { createHistory } from '../../../lib/history/history.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { ageTime } from '../age-time.js'
import { realClock } from './clock.js'
import { accountsOf } from './history.js'
import { ledgerReader } from './reader.js'
import { makeYear } from './year.js'

const [folder = '', latency = '0'] = process.argv.slice(2)
const ledger = makeYear(11, 60)
const reader = ledgerReader(ledger)
const store = await openSqliteStore({ folder, program: ledger.program })
const history = createHistory({
  reader: {
    ...reader,
    async transactions (signatures) {
      await wait(Number(latency))
      return await reader.transactions(signatures)
    }
  },
  store,
  program: ledger.program,
  daos: accountsOf(ledger),
  rate: parseDecimal('0.005')!,
  basis: 'input',
  time: ageTime(() => ledger.time * 1000),
  clock: realClock(() => ledger.time * 1000 + performance.now()),
  pollMs: 20,
  checkMs: 30,
  pageSize: 60,
  stepSize: 7
})
process.stdout.write('begun\n')
history.start()
const made = ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
// events of unknown kinds are judged by a look at the accounts, which may come after the last of them is stored
const isDone = async () =>
  history.status().events >= made && history.status().complete && (await store.unjudged()).size === 0
while (!await isDone()) await wait(2)
await history.stop()
await store.close()
process.stdout.write('done\n')
