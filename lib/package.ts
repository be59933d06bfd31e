import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of package.json and public/, above this file however deep the build puts it. */
function findRoot (): URL {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder
    if (folder.pathname === '/') throw new Error('package.json is missing beside the program')
  }
}

const ROOT = findRoot()
/** The text of a file beside package.json, or below: the build copies none of them. */
export const ownFile = (name: string) => readFileSync(new URL(name, ROOT), 'utf8')

export const SERVICE_NAME = 'DAO Market Data API'
export const { version: SERVICE_VERSION } = JSON.parse(ownFile('package.json')) as { version: string }

/** A folder of public/, which the build does not copy. Throws where it is missing. */
export function publicFolder (name: string): string {
  const folder = fileURLToPath(new URL(`public/${name}/`, ROOT))
  if (!existsSync(folder)) throw new Error(`public/${name} is missing beside the program`)
  return folder
}
