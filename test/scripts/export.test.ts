import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { test } from 'tap'
import { openPostgresStore } from '../../lib/history/replicas/sole-writer.js'
import { settled, watch } from '../support/history/history.js'
import { newPlace, withoutPostgres } from '../support/history/postgres.js'
import { runScript } from '../support/script-process.js'
import { makeYear } from '../support/history/year.js'

test('npm run export: every trade in each format, beside the running service', async t => {
  const ledger = makeYear(5, 20)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const run = async (...args: string[]) => {
    const { code, stderr } = await runScript('scripts/export.ts', ['--store', `sqlite:${watched.folder}`, ...args])
    return code === 0 ? stderr : `failed: ${stderr}`
  }
  const want = ledger.swaps.map(({ dao, seq, input, output, trader }) => [dao, seq, input, output, trader].join()).sort()
  const file = (name: string) => join(watched.folder, name)
  for (const format of ['csv', 'ndjson', 'parquet']) {
    t.match(await run('--what', 'trades', '--format', format, '--out', file(format)), new RegExp(`^${want.length} trades written to `))
  }
  const [head, ...lines] = readFileSync(file('csv'), 'utf8').trim().split('\n')
  const names = head!.split(',')
  const rows = lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at]!, cell])))
  const plain = (rows: Array<Record<string, unknown>>) => rows.map(row => ['pool_id', 'trade_id', 'input', 'output', 'maker'].map(name => String(row[name])).join()).sort()
  t.same(plain(rows), want)
  t.same(plain(readFileSync(file('ndjson'), 'utf8').trim().split('\n').map(line => JSON.parse(line) as Record<string, unknown>)), want)
  t.same(plain(await parquetReadObjects({ file: await asyncBufferFromFile(file('parquet')) })), want)
  t.match(await run('--what', 'trades', '--format', 'csv', '--out', file('none'), '--from', '2020-01-01', '--to', '2020-01-02'), /^0 trades/)
  t.match(await run('--what', 'swaps'), /failed: export --what trades/)
  t.match(await run('--what', 'trades', '--format', 'csv', '--out', file('none'), '--from', 'yesterday'), /failed: --from: a UTC day/)
})

test('npm run export: from PostgreSQL, too', { skip: await withoutPostgres() }, async t => {
  const ledger = makeYear(5, 6)
  const { url } = newPlace(t)
  const watched = await watch(t, ledger, { store: await openPostgresStore({ url, program: ledger.program }) })
  await settled(watched, ledger)
  const out = join(t.testdir(), 'trades.ndjson')
  t.match(await runScript('scripts/export.ts', ['--store', url, '--what', 'trades', '--format', 'ndjson', '--out', out]), { code: 0 })
  const rows = readFileSync(out, 'utf8').trim().split('\n').map(line => JSON.parse(line) as Record<string, unknown>)
  t.same(rows.map(row => [row.pool_id, row.trade_id, row.input, row.output, row.maker].join()).sort(), ledger.swaps.map(({ dao, seq, input, output, trader }) => [dao, seq, input, output, trader].join()).sort())
})
