import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import openapi from '../plugins/openapi.js'

/**
 * What routes take from the application while they are registered: whatever they ask of it is again this. Nothing of it
 * is called.
 */
const STAND_IN: object = new Proxy(
  {}, { get: (_target, name) => typeof name === 'symbol' || name === 'then' ? undefined : STAND_IN }
)
/** A plugin is named after what it decorates; `answers` decorates what routes open at once too. */
const DECORATORS =
  [...readdirSync(new URL('../plugins', import.meta.url)).map(name => name.replace(/\.[jt]s$/, '')), 'forms']

/** The OpenAPI document of the routes as they are. Nothing is configured, opened, called or listened on. */
export async function describeContract (): Promise<object> {
  // its files may have to be compiled first, however long that takes
  const fastify = Fastify({ pluginTimeout: 0 })
  for (const name of DECORATORS) fastify.decorate(name, { getter: () => STAND_IN })
  await fastify.register(fp(async () => {}, { name: 'rate-limit' }))
  await fastify.register(openapi)
  await fastify.register(autoload, { dir: fileURLToPath(new URL('../routes', import.meta.url)) })
  await fastify.ready()
  const document = fastify.swagger()
  await fastify.close()
  return document
}

/** The document as it is committed. */
export const contractText = async (): Promise<string> => `${JSON.stringify(await describeContract(), null, 2)}\n`
