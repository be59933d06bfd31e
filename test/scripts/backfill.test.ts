import { join } from 'node:path'
import { test, type Test } from 'tap'
import { parseDecimal } from '../../lib/decimal.js'
import { backfill, progressLine, summary } from '../../scripts/backfill-progress.js'
import { createHistory, type HistoryStatus } from '../../lib/history/history.js'
import { statusOf } from '../../lib/history/status.js'
import { openSqliteStore } from '../../lib/history/store/sqlite.js'
import { startNode } from '../../simulator/index.js'
import { ageTime } from '../support/age-time.js'
import { realClock } from '../support/history/clock.js'
import { accountsOf } from '../support/history/history.js'
import { ledgerReader } from '../support/history/reader.js'
import { type ScriptProcess, startScript } from '../support/script-process.js'
import { makeYear } from '../support/history/year.js'

const STATUS: HistoryStatus = {
  ...statusOf({ time: ageTime(() => 0), staleMs: 0 }),
  phase: 'walking-back',
  last24h: true,
  complete: false,
  headAge: 1,
  slot: 2,
  oldestTime: 1_767_225_600,
  signatures: 1000,
  swaps: 700,
  events: 800,
  expected: 3200,
  missingEvents: 0,
  searched: true,
  missingTransactions: 0,
  rateDisagreements: []
}

test('a line of progress: bar, signatures, swaps, oldest day, rate, time left', async t => {
  const since = { ...STATUS, events: 0 }
  t.equal(
    progressLine(STATUS, since, 100, true),
    '██████░░░░░░░░░░░░░░░░░░  25 %, 1000 signatures, 700 swaps, back to 2026-01-01, 10/s, 5 min 0 s left'
  )
  t.equal(
    progressLine(STATUS, since, 40_000, false), '1000 signatures, 700 swaps, back to 2026-01-01, 0/s, 1 d 9 h left'
  )
  t.match(progressLine(STATUS, since, 4000, false), /3 h 20 min left$/)
  t.match(progressLine({ ...STATUS, expected: null, oldestTime: null }, since, 1, true), /\? %.*back to –.*– left$/)
  t.match(progressLine({ ...STATUS, events: 3200, complete: true }, since, 1, true), /100 %.*done$/)
  t.match(progressLine({ ...STATUS, expected: 0, complete: true }, since, 0, true), /100 %/)
})

test('the last words say what is missing', async t => {
  t.match(summary(STATUS), /^Stopped after 700 swaps; the next start goes on from here/)
  t.match(
    summary({ ...STATUS, complete: true }),
    /complete to the beginning.*800 events, 700 swaps\.\nEvery DAO's events are numbered without a sequence gap/
  )
  t.match(
    summary({ ...STATUS, complete: true, missingEvents: 3, missingTransactions: 1 }),
    /Not to be had from this node: 3 events and 1 transactions/
  )
})

test('runs to the beginning, redrawing one line on a terminal', async t => {
  const ledger = makeYear(4, 20)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  let shown = ''
  const history = createHistory({
    reader: ledgerReader(ledger),
    store,
    program: ledger.program,
    daos: accountsOf(ledger),
    rate: parseDecimal('0.005')!,
    basis: 'input',
    clock: realClock(() => ledger.time * 1000 + performance.now()),
    time: ageTime(() => ledger.time * 1000),
    pollMs: 20,
    checkMs: 20
  })
  const out = { isTTY: true, columns: 60, write: (text: string) => { shown += text } }
  const status = await backfill(history, { out, signal: new AbortController().signal })
  t.match(status, { complete: true, swaps: ledger.swaps.length, missingEvents: 0 })
  const lines = shown.split('\r\x1b[2K')
  t.ok(lines.slice(1, -1).every(line => line.length < 60 && !line.includes('\n')))
  t.match(shown, /100 %[^]*The history is complete/)
})

/** The script itself on a simulated node. */
async function scripted (t: Test) {
  const ledger = makeYear(4, 30)
  ledger.advance(Math.max(0, Date.now() / 1000 - ledger.time))
  const node = await startNode(ledger)
  t.teardown(() => node.close())
  const folder = t.testdir()
  async function run (stop?: (child: ScriptProcess['child']) => void): Promise<{
    code: number | null
    output: string
    errors: string
  }> {
    const { child, stdout, stderr, ended } = startScript('scripts/backfill.ts', {
      cwd: folder,
      env: {
        CHAIN_RPC_URL: node.url,
        CHAIN_WS_URL: '',
        FACTORY_ADDRESS: ledger.program,
        ROUTER_ADDRESS: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
        DATA_DIR: join(folder, 'data'),
        PROTOCOL_FEE_RATE: '0.005'
      }
    })
    stop?.(child)
    const { code } = await ended
    return { code, output: stdout(), errors: stderr() }
  }
  return { ledger, node, folder, run }
}

test('the command: stopped by SIGINT it goes on at the next start, and says when all is there', async t => {
  const { ledger, node, run } = await scripted(t)
  node.latencyMs = 100
  const stopped = await run(child => {
    const timer = setInterval(() => {
      if (node.calls.getTransaction! <= 60) return
      clearInterval(timer)
      child.kill('SIGINT')
      child.kill('SIGINT')
    }, 10)
    child.on('exit', () => clearInterval(timer))
  })
  t.match(stopped, { code: 0, output: /Stopped after \d+ swaps/ })
  node.latencyMs = 0
  const whole = await run()
  t.match(whole, { code: 0, output: new RegExp(`The history is complete.*${ledger.swaps.length} swaps`) })
  t.match(whole.output, /\d+ signatures, \d+ swaps, back to 2026-01-01, \d+\/s, done/)
})

test('the command: ends cleanly where nobody reads what it says any more', async t => {
  const { run } = await scripted(t)
  t.match(await run(child => child.stdout.destroy()), { code: 0, errors: '' })
})

test('the command: refuses to run beside a service on the same store, and settings that are missing', async t => {
  const { ledger, folder, run } = await scripted(t)
  const store = await openSqliteStore({ folder: join(folder, 'data'), program: ledger.program })
  t.match(await run(), { code: 1, errors: /another process is using the history/ })
  await store.close()
  t.match(await run(), { code: 0 })
})
