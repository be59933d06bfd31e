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

/** A refresh of thousands of DAOs holds the loop for one tick of a second: a loop that is late at each is too busy. */
const MAX_DELAY = 250
/** Shares of what there is at which there is still room to end what is in work. */
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
 * Sheds load with 503 before the event loop or the memory suffer: answers that cost work of their own, for clients who
 * have had much of it where the loop is late, for everybody where memory is short. Lists and the liveness probe cost
 * less than a refusal saves.
 */
export default fp<OverloadOptions>(async (fastify, { bounds }) => {
  const { budget } = fastify
  const { delay, heapBytes, residentBytes } = { ...defaults(), ...bounds }
  await fastify.register(underPressure, {
    maxEventLoopDelay: delay,
    maxHeapUsedBytes: heapBytes,
    maxRssBytes: residentBytes,
    pressureHandler: ({ routeOptions: { config }, client }, _reply, type, value) => {
      // a second without a measurement, as the first of a slow start, counts as an endless delay
      if (value === Infinity || config.isDear !== true) return
      if (type === underPressure.TYPE_EVENT_LOOP_DELAY && !budget.making.isGreedy(client)) return
      throw new ServiceError('OVERLOADED', 'the process is overloaded')
    }
  })
}, { name: 'overload', dependencies: ['budget', 'client', 'security'] })
