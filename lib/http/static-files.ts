import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from '../once.js'
import { makeCachedResponse } from './cached-response.js'
import { mediaTypeOf } from './media-type.js'

/** The files of `folder` itself by name, each read when it is first sent. Throws where the folder can't be read. */
export const staticFiles = (folder: string) => readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(({ name }) => ({
    name, response: once(() => makeCachedResponse(mediaTypeOf(name), readFileSync(join(folder, name))))
  }))
