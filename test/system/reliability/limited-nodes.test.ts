import { test, type Test } from 'tap'
import { startScript } from '../../support/script-process.js'

async function measure (t: Test, ...args: string[]): Promise<string[][]> {
  const service = startScript('bench/nodes.ts', { args: ['--seconds', '60', ...args], cwd: t.testdir() })
  t.teardown(() => service.child.kill('SIGKILL'))
  await service.ended
  const rows = service.stdout().split('\n').filter(line => /^\| \d/.test(line))
  t.ok(rows.length > 0, service.output())
  return rows.map(line => line.split('|').slice(1, -1).map(cell => cell.trim()))
}

test(
  'on limited nodes the first list comes about when the limit allows it, and stays while the past is read',
  async t => {
    const rows = await measure(t, '--only', '0 a second')
    t.equal(rows.length, 3)
    for (const [name, , , , toIdeal, accepted, refused, served] of rows) {
      t.ok(Number(toIdeal) <= 1.25, `${name}: the first list after ${toIdeal} of the ideal time`)
      t.ok(Number.parseFloat(accepted!) >= 80, `${accepted} of what is allowed`)
      t.ok(Number.parseFloat(refused!) < 2, `${refused} refused`)
      t.match(served, /^200: \d+$/, 'every list asked for after it')
    }
  }
)

test('clients who ask for more records than a node gives do not keep tickers away', async t => {
  const [[, , , , toIdeal, , , served] = []] = await measure(t, '--only', '10 a second', '--busy')
  t.ok(Number(toIdeal) <= 5, `the first list after ${toIdeal} of the time that the node needs for the last day alone`)
  t.ok(Number(/^200: (\d+)/.exec(served!)![1]) >= 54, `${served} of a minute`)
})
