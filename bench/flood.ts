import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createWindowCounter, MAX_CLIENTS } from '../lib/rate-limit/minute-window.js'
import { clientOf, plainAddress } from '../lib/http/client-address.js'
import { options } from './support/run.js'

/**
 * A flood from a million addresses at the limiter: the counts stay under their bound, and so does their memory.
 * `npm run bench -- flood [--addresses N]`
 */

const { addresses } = options({ addresses: 1_000_000 })
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Bytes in use, without what is garbage. */
const heap = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`

/** Half of them IPv4, half IPv6 of as many /64s. */
const addressOf = (i: number): string => i % 2 === 0
  ? `${1 + (i >> 24)}.${i >> 16 & 255}.${i >> 8 & 255}.${i & 255}`
  : `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::${i.toString(16).slice(-4)}`

let now = 0
const before = heap()
const counter = createWindowCounter(() => now)
const begun = performance.now()
let slowest = 0
for (let i = 0; i < addresses; i++) {
  const from = performance.now()
  counter.count(clientOf(plainAddress(addressOf(i))!))
  slowest = Math.max(slowest, performance.now() - from)
}
const ms = performance.now() - begun
const used = heap() - before
console.log(
  `${addresses} addresses in ${Math.round(ms)} ms, ${(ms / addresses * 1000).toFixed(2)} µs each, the ` +
    `slowest ${slowest.toFixed(1)} ms`
)
console.log(`${counter.size()} counted of at most ${MAX_CLIENTS}; ${megabytes(used)}`)
now += 60_000
const from = performance.now()
counter.count('192.0.2.1')
const turned = performance.now() - from
console.log(`the window turns in ${turned.toFixed(1)} ms; ${counter.size()} counted; ${megabytes(heap() - before)}`)
if (counter.size() !== 1 || used > 64 * 2 ** 20) {
  console.error('FAILED: the limiter is beyond its bound')
  process.exitCode = 1
}
