import { existsSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { publicFolder, SERVICE_VERSION } from '../../lib/package.js'

test('the folder of the service holds what is read beside the program', async t => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  ) as { name: string, version: string }
  t.same([name, version], ['dao-market-data', SERVICE_VERSION])
  t.ok(existsSync(publicFolder('market')))
  t.throws(() => publicFolder('nothing'), { message: 'public/nothing is missing beside the program' })
})
