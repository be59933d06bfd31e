import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'

/** Mean delay of the event loop over a second from which on requests are refused, ms: later answers help nobody. */
const MOST_DELAY = 1_000
/** Share of the heap's limit from which on requests are refused, before the process dies of it. */
const MOST_HEAP = 0.9

/** Sheds load with 503 before the event loop or the memory suffer. */
export default fp(async fastify => {
  await fastify.register(underPressure, {
    maxEventLoopDelay: MOST_DELAY,
    maxHeapUsedBytes: Math.floor(getHeapStatistics().heap_size_limit * MOST_HEAP),
    pressureHandler: () => { throw new ServiceError('OVERLOADED', 'the process is overloaded') }
  })
}, { name: 'overload' })
