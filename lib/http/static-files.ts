import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CachedResponse, makeCachedResponse } from './cached-response.js'
import { mediaTypeOf } from './media-type.js'

/** The files of `folder` itself, not of its subfolders. Throws where it can't be read. */
export function readStaticFiles (folder: string) {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
    .sort()
  const known = new Set(names)
  const made = new Map<string, CachedResponse>()
  return {
    names,
    /** Undefined where the folder has no such file. */
    get (name: string): CachedResponse | undefined {
      if (!known.has(name)) return undefined
      const response = made.get(name) ?? makeCachedResponse(mediaTypeOf(name), readFileSync(join(folder, name)))
      made.set(name, response)
      return response
    }
  }
}
