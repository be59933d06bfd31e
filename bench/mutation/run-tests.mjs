/** Runs test files in one process with one file of the source changed: `run-tests.mjs URL PATH TEST…`. Ends with status 0 where they all pass. */
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

const [url, path, ...tests] = process.argv.slice(2)
register('./load.mjs', import.meta.url, { data: { url, path } })
for (const test of tests) await import(pathToFileURL(test).href)
