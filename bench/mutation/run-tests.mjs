/** Runs compiled test files in one process: `run-tests.mjs TEST…`. Ends with status 0 where they all pass. */
import { pathToFileURL } from 'node:url'

for (const test of process.argv.slice(2)) await import(pathToFileURL(test).href)
