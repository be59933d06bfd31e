import { runAtOnce } from './groups.js'

await runAtOnce('browser-whole')
