import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'

export interface OverloadOptions {
  /** Replaces the bounds beyond which requests are refused. */
  bounds?: Partial<Bounds>
}

interface Bounds {
  /** Mean delay of the event loop over a second, ms. */
  delay: number
  heapBytes: number
  residentBytes: number
}

/** A refresh of thousands of DAOs delays one tick of a second: a loop whose every tick is late is too busy. */
const MAX_DELAY = 250
/** Shares at which there is still room to finish requests in work. */
const MAX_HEAP = 0.9
const MAX_MEMORY = 0.9

/** Bytes that this process may have: those of its container, or of the machine. */
const memory = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem())

const defaults = (): Bounds => ({
  delay: MAX_DELAY,
  heapBytes: Math.floor(getHeapStatistics().heap_size_limit * MAX_HEAP),
  residentBytes: Math.floor(memory() * MAX_MEMORY)
})

/**
 * Sheds load with 503 before the event loop or memory suffer: refuses costly answers, to greedy clients where the loop
 * is late, to all where memory is short. Lists and the liveness probe cost less than a refusal saves.
 */
export default fp<OverloadOptions>(async (fastify, { bounds }) => {
  const { budget } = fastify
  const { delay, heapBytes, residentBytes } = { ...defaults(), ...bounds }
  await fastify.register(underPressure, {
    maxEventLoopDelay: delay,
    maxHeapUsedBytes: heapBytes,
    maxRssBytes: residentBytes,
    pressureHandler: ({ routeOptions: { config }, client }, _reply, type, value) => {
      // Infinity: nothing was measured in this second, as in the first of a slow start
      if (value === Infinity || config.isCostly !== true) return
      if (type === underPressure.TYPE_EVENT_LOOP_DELAY && !budget.making.isGreedy(client)) return
      throw new ServiceError('OVERLOADED', 'the process is overloaded')
    }
  })
}, { name: 'overload', dependencies: ['budget', 'client', 'security'] })
