import { createServer } from 'node:http'
import fp from 'fastify-plugin'

/**
 * Prometheus metrics of requests, node calls, snapshot and history; served on a port of their own where METRICS_PORT is
 * set.
 */
export default fp(async fastify => {
  const { config, chain } = fastify
  if (config.metricsPort === undefined) return
  // loaded only if they are served: the library takes time and memory
  const { createMetrics } = await import('../lib/responses/metrics.js')
  const metrics = createMetrics(fastify)
  fastify.addHook('onResponse', (request, reply, done) => {
    metrics.answered({
      route: request.routeOptions.url ?? 'unknown',
      method: request.method,
      status: reply.statusCode,
      ms: reply.elapsedTime
    })
    done()
  })
  chain.observe = metrics.called

  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics.registry.metrics().then(
      text => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      (error: unknown) => {
        fastify.log.error({ err: error }, 'the metrics could not be collected')
        response.writeHead(500).end()
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error =>
      reject(Object.assign(error, { setting: 'METRICS' }))).listen(config.metricsPort, config.metricsHost, resolve)
  })
  fastify.log.info(`metrics at port ${config.metricsPort} of ${config.metricsHost}`)
  fastify.addHook('onClose', async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
}, { name: 'metrics', dependencies: ['config', 'chain', 'answers', 'rate-limit', 'stream'] })
