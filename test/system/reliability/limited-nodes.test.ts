import { test } from 'tap'
import { startScript } from '../../support/script-process.js'

test(
  'on limited nodes the first list comes about when the limit allows it, and stays while the past is read',
  async t => {
    const service = startScript(
      'bench/nodes.ts', { args: ['--seconds', '60', '--only', '0 a second'], cwd: t.testdir() }
    )
    t.teardown(() => service.child.kill('SIGKILL'))
    await service.ended
    const rows = service.stdout().split('\n').filter(line => /^\| \d/.test(line)).map(
      line => line.split('|').map(cell => cell.trim())
    )
    t.equal(rows.length, 3, service.output())
    for (const [, name, , , , toIdeal, accepted, refused, served] of rows) {
      t.ok(Number(toIdeal) <= 1.25, `${name}: the first list after ${toIdeal} of the ideal time`)
      t.ok(Number.parseFloat(accepted!) >= 80, `${accepted} of what is allowed`)
      t.ok(Number.parseFloat(refused!) < 2, `${refused} refused`)
      t.match(served, /^200: \d+$/, 'every list asked for after it')
    }
  }
)
