import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { hasNoRoom, NO_ROOM } from '../../../../lib/history/store/failures.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const KB = Buffer.alloc(1024)

/** Takes what room there is, but for some bytes. */
function fill (path: string, left = 0): void {
  const file = openSync(path, 'w')
  try {
    for (;;) writeSync(file, KB)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  truncateSync(path, statSync(path).size - left)
}

const disk = mkdtempSync(join(tmpdir(), 'full-disk-'))
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]).status === 0
const skip = isMounted ? false : 'a small disk can be mounted by the administrator of a Linux machine alone'

process.on('exit', () => {
  if (isMounted) spawnSync('umount', ['-l', disk])
  rmSync(disk, { recursive: true })
})

test('on a disk that is really full the store opens, and says what it lacks until there is room', { skip }, async t => {
  const folder = join(disk, 'data')
  const open = async () => await openSqliteStore({ folder, program: PROGRAM })

  await (await open()).close()
  fill(join(disk, 'fill'))
  const store = await open()
  for (const time of ['first', 'second']) {
    const refused = await store.bindNetwork('a network').then(() => undefined, (error: unknown) => error)
    t.match(refused, { code: 'HISTORY_UNAVAILABLE', message: NO_ROOM }, `the ${time} time`)
    t.ok(hasNoRoom(refused))
    t.ok(store.hasNoRoom())
  }
  rmSync(join(disk, 'fill'))
  await store.bindNetwork('a network')
  t.notOk(store.hasNoRoom())
  await store.close()

  for (const left of [0, 40_000, 80_000, 160_000]) {
    fill(join(disk, 'fill'), left)
    await t.rejects(
      openSqliteStore({ folder: join(disk, 'other'), program: PROGRAM }),
      { code: 'HISTORY_UNAVAILABLE', message: /full/ },
      `a new one can't be made in ${left} bytes`
    )
    rmSync(join(disk, 'other'), { recursive: true })
  }
  writeFileSync(join(disk, 'fill'), '')
  const filled = await open()
  await filled.publish({ slot: 1, at: 1 })
  fill(join(disk, 'fill'))
  await t.resolves(filled.close(), 'and one that has lost nothing closes')
  writeFileSync(join(disk, 'fill'), '')
  await (await open()).close()
})
