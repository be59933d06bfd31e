import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { exact, exactJson } from '../../../lib/exact-json.js'
import { readQuery } from '../../../lib/query.js'
import { CACHE_HEADERS } from '../../../schemas/headers.js'
import { JupiterCirculatingSchema, JupiterTotalSchema } from '../../../schemas/jupiter.js'
import { INVALID_MINT, MINT_NOT_FOUND } from '../../../schemas/messages.js'
import { badRequest, CHAIN_FAILURES, json, notFound } from '../../../schemas/responses.js'
import { MintParamsSchema } from '../../../schemas/supply.js'

const FAILURES = {
  400: badRequest({ mint: INVALID_MINT, query: 'Invalid date: no parameters here' }),
  404: notFound('There is no mint at this address.', MINT_NOT_FOUND),
  ...CHAIN_FAILURES
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { supply } = fastify.cache
  fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong

  const number = (path: 'total' | 'circulating', operationId: string, description: string): void => {
    fastify.get(`/:mintAddress/${path}`, {
      schema: {
        operationId,
        summary: `Jupiter: ${path} supply as a number`,
        description,
        tags: ['aggregators'],
        params: MintParamsSchema,
        querystring: Type.Object({}),
        response: { 200: json(path === 'total' ? JupiterTotalSchema : JupiterCirculatingSchema, 'The number, with every digit it has.', CACHE_HEADERS), ...FAILURES }
      }
    }, async ({ params: { mintAddress }, query }, reply) => {
      readQuery(query, {})
      const { value, ...age } = await supply.get(mintAddress)
      const text = exactJson(path === 'total' ? { totalSupply: exact(value.totalSupply) } : { circulatingSupply: exact(value.circulatingSupply) })
      return reply.setCacheHeaders(age).type('application/json; charset=utf-8').send(text as never)
    })
  }
  number('total', 'getJupiterTotalSupply', 'The supply of the mint in whole tokens.')
  number('circulating', 'getJupiterCirculatingSupply', 'Total supply less the team performance package, in whole tokens.')
}
export default routes
