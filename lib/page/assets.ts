import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CachedResponse, makeCachedResponse } from '../http/cached-response.js'
import { BEST } from '../http/encoding.js'
import { mediaTypeOf } from '../http/media-type.js'
import { publicFolder } from '../package.js'
import { pageScripts } from './scripts.js'

/** The page's files, packed once, under a name that changes with what is in them. */

const ICON = 'icon.svg'
const VERSION_LENGTH = 12
/** The chart library, as it is in its package; its licence is at its head. */
const CHARTS = 'lightweight-charts.js'
const CHARTS_FILE = 'lightweight-charts.standalone.production.mjs'

export type PageAssets = ReturnType<typeof loadAssets>

const chartLibrary = () =>
  join(dirname(fileURLToPath(import.meta.resolve('lightweight-charts'))), CHARTS_FILE)

/** The files of public/market; its HTML files are templates, not served. Throws where one can't be read. */
export function loadAssets () {
  const folder = publicFolder('market')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update('\0').update(read(name)).update('\0')
  hash.update(readFileSync(chartLibrary()))

  function textOf (name: string): string | undefined {
    if (name === ICON) return read(name)
    return name === CHARTS ? readFileSync(chartLibrary(), 'utf8') : pageScripts().get(name)
  }

  const made = new Map<string, CachedResponse>()
  return {
    /** Name of the folder that the files are served under: browsers keep what they get from it for good. */
    version: hash.digest('hex').slice(0, VERSION_LENGTH),
    /** A file's bytes; undefined where there is none of the name. */
    file (name: string): CachedResponse | undefined {
      const text = made.has(name) ? undefined : textOf(name)
      if (text !== undefined) made.set(name, makeCachedResponse(mediaTypeOf(name), text, undefined, BEST))
      return made.get(name)
    },
    /** The text of a page before its parts are filled in. */
    template: read
  }
}
