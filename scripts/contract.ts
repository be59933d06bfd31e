import { fileURLToPath } from 'node:url'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import openapi from '../plugins/openapi.js'
import { SHARED_SCHEMAS } from '../schemas/responses.js'

/** What routes take from the application while they are registered: nothing is asked of it here. */
const STAND_INS = ['config', 'live', 'market', 'history', 'chain']

/** The OpenAPI document of the routes as they stand. Nothing is configured, opened, called or listened on. */
export async function describeContract (): Promise<object> {
  const fastify = Fastify()
  for (const name of STAND_INS) fastify.decorate(name, {})
  for (const schema of SHARED_SCHEMAS) fastify.addSchema(schema)
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
