import { readFileSync } from 'node:fs'
import { PACKAGE_ROOT } from './package-root.js'

const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')) as { version: string }

export const SERVICE_NAME = 'DAO Market Data API'
export const SERVICE_VERSION = version
