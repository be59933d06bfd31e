import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type CachedResponse, makeCachedResponse } from './cached-response.js'

/** Files of a folder as bytes that are read and compressed once: the folder does not change while the process runs. */

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2'
}

export interface StaticFiles {
  names: readonly string[]
  /** Undefined where the folder has no such file. */
  get (name: string): Promise<CachedResponse> | undefined
}

/** The files of `folder` itself, not of its subfolders. Throws where it can't be read. */
export function readStaticFiles (folder: string): StaticFiles {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) => name)
    .sort()
  const known = new Set(names)
  const made = new Map<string, Promise<CachedResponse>>()
  return {
    names,
    get (name) {
      if (!known.has(name)) return undefined
      const response = made.get(
        name
      ) ?? makeCachedResponse(TYPES[extname(name)] ?? 'application/octet-stream', readFileSync(join(folder, name)))
      made.set(name, response)
      return response
    }
  }
}
