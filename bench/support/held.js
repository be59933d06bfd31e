// Loaded before a service (`node --import`): how long its event loop was held. Asked by a message, it answers with the
// longest round since it was asked last.
import { existsSync, openSync, readSync } from 'node:fs'

const TICK_MS = 2

/** Processor time of this thread in ms; 0 where the system does not tell. Its first number are nanoseconds. */
const schedstat = `/proc/self/task/${process.pid}/schedstat`
const file = existsSync(schedstat) ? openSync(schedstat, 'r') : undefined
const line = Buffer.alloc(64)
const processorMs = () => file === undefined
  ? 0
  : Number.parseInt(line.toString('latin1', 0, readSync(file, line, 0, line.length, 0))) / 1e6

let last = { ms: performance.now(), cpu: processorMs() }
let held = { ms: 0, cpu: 0 }
setInterval(() => {
  const now = { ms: performance.now(), cpu: processorMs() }
  held = { ms: Math.max(held.ms, now.ms - last.ms - TICK_MS), cpu: Math.max(held.cpu, now.cpu - last.cpu) }
  last = now
}, TICK_MS).unref()

process.on('message', () => {
  process.send(held)
  held = { ms: 0, cpu: 0 }
})
process.channel.unref()
