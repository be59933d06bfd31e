/** Runs compiled test files, those that the variable TESTS names a line each, in one process. Ends with status 0 where they all pass. */
import { pathToFileURL } from 'node:url'

for (const test of process.env.TESTS.split('\n')) await import(pathToFileURL(test).href)
