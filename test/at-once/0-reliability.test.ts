import { runAtOnce } from './groups.js'

await runAtOnce('reliability')
