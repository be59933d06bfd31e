import { existsSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { publicFolder } from '../../lib/http/public-folder.js'
import { PACKAGE_ROOT } from '../../lib/package-root.js'
import { SERVICE_VERSION } from '../../lib/version.js'

test('the folder of the service holds what is read beside the program', async t => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')
  ) as { name: string, version: string }
  t.same([name, version], ['dao-market-data', SERVICE_VERSION])
  t.ok(existsSync(publicFolder('market')))
  t.throws(() => publicFolder('nothing'), { message: 'public/nothing is missing beside the program' })
})
