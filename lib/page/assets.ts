import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'
import { mediaTypeOf } from '../http/media-type.js'
import { publicFolder } from '../package.js'
import { joinModules } from './join-modules.js'

/** The page's files, packed once, under a name that changes with what is in them. */

/** Of the kinds that a page has; its HTML files are templates. */
const SERVED = new Set(['.js', '.css', '.svg'])
const VERSION_LENGTH = 12
/** Modules that a page begins with. */
const ENTRIES = ['list.js', 'pool.js', 'decisions.js', 'status.js']
/** The chart library, as it is in its package; its licence is at its head. */
const CHARTS = 'lightweight-charts.js'
const CHARTS_FILE = 'lightweight-charts.standalone.production.mjs'

export type PageAssets = ReturnType<typeof loadAssets>

function chartLibrary (): string {
  return join(dirname(fileURLToPath(import.meta.resolve('lightweight-charts'))), CHARTS_FILE)
}

/**
 * The files of `folder`: styles and images as they are, modules that a page begins with joined with what they import,
 * other scripts as they are. HTML files are templates, not served. Throws where the folder or one of its modules can't
 * be read.
 */
export function loadAssets (folder = publicFolder('market')) {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const names = readdirSync(folder).sort()
  const texts = new Map<string, () => string>()
  const hash = createHash('sha256')
  for (const name of names) hash.update(name).update('\0').update(read(name)).update('\0')
  hash.update(readFileSync(chartLibrary()))

  const joined = new Set(ENTRIES)
  for (const name of names) {
    const isModule = extname(name) === '.js' && /^(?:import|export)\s/m.test(read(name))
    if (!SERVED.has(extname(name)) || (isModule && !joined.has(name))) continue
    texts.set(name, () => isModule ? joinModules(name, read) : read(name))
  }
  texts.set(CHARTS, () => readFileSync(chartLibrary(), 'utf8'))

  const made = new Map<string, CachedResponse>()
  return {
    /** Name of the folder that the files are served under: browsers keep what they get from it for good. */
    version: hash.digest('hex').slice(0, VERSION_LENGTH),
    /** A file's bytes; undefined where there is none of the name. */
    file (name: string): CachedResponse | undefined {
      const text = texts.get(name)
      if (text === undefined) return undefined
      const response = made.get(name) ?? makeCachedResponse(mediaTypeOf(name), text())
      made.set(name, response)
      return response
    },
    /** The text of a page before its parts are filled in. */
    template: read
  }
}
