import { existsSync } from 'node:fs'

function find (): URL {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder
    if (folder.pathname === '/') throw new Error('package.json is missing beside the program')
  }
}

/**
 * The folder of package.json and public/, above this file however deep the build puts it. Throws where there is none.
 */
export const PACKAGE_ROOT = find()
