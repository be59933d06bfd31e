import fp from 'fastify-plugin'
import { createForms, type Forms } from '../lib/responses/forms/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The market in the forms of those who list it. */
    forms: Forms
  }
}

export default fp(async fastify => {
  const { config: settings, cache: { snapshot, supply }, chain: { clock, time }, history, market } = fastify
  fastify.decorate(
    'forms',
    createForms({ snapshot, supply, history, settings, now: clock.now, time, tickers: () => market.tickerList() })
  )
}, { name: 'forms', dependencies: ['config', 'chain', 'cache', 'history', 'market'] })
