import { readFileSync } from 'node:fs'

/** What package.json says of us: it stands above this file in the source, and two folders above it in the build. */
function readPackage (): { version: string } {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error('package.json is missing beside the program')
}

export const SERVICE_NAME = 'DAO Market Data API'
export const SERVICE_VERSION = readPackage().version
