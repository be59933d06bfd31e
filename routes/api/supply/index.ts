import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CACHE_HEADERS } from '../../../schemas/headers.js'
import { badRequest, CHAIN_FAILURES, json, notFound, plainNumber } from '../../../schemas/responses.js'
import { MintParamsSchema, type Supply, SupplyAnswerSchema } from '../../../schemas/supply.js'

const FAILURES = {
  400: badRequest('Invalid mint address'),
  404: notFound('There is no mint at this address.', 'Token mint not found'),
  ...CHAIN_FAILURES
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { supply } = fastify.live

  fastify.get('/:mintAddress', {
    schema: {
      operationId: 'getSupply',
      summary: 'Supply of a token with its breakdown',
      description: 'All figures are of one slot. Circulating = total − team performance package; what the pools hold circulates. ' +
        'A token of no launch circulates as a whole.',
      tags: ['supply'],
      params: MintParamsSchema,
      response: { 200: json(SupplyAnswerSchema, 'The supply and its parts.', CACHE_HEADERS), ...FAILURES }
    }
  }, async ({ params }, reply) => {
    const answer = await supply.get(params.mintAddress)
    reply.tellAge(answer)
    return { result: answer.value.totalSupply, data: answer.value }
  })

  const plainText = (path: string, operationId: string, summary: string, description: string, pick: (supply: Supply) => string): void => {
    fastify.get(`/:mintAddress/${path}`, {
      schema: {
        operationId,
        summary,
        description,
        tags: ['supply'],
        params: MintParamsSchema,
        response: { 200: plainNumber('The number alone, in whole tokens.', '12900000', CACHE_HEADERS), ...FAILURES }
      }
    }, async ({ params }, reply) => {
      const answer = await supply.get(params.mintAddress)
      reply.tellAge(answer)
      return reply.type('text/plain; charset=utf-8').send(pick(answer.value))
    })
  }
  plainText('total', 'getTotalSupply', 'Total supply as plain text', 'The supply of the mint in whole tokens, exact, without trailing zeros.', ({ totalSupply }) => totalSupply)
  plainText('circulating', 'getCirculatingSupply', 'Circulating supply as plain text',
    'Total supply less the team performance package, in whole tokens; what the pools hold circulates.', ({ circulatingSupply }) => circulatingSupply)
}

export default routes
