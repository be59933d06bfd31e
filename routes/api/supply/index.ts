import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { badRequest, CHAIN_FAILURES } from '../../../schemas/responses.js'
import { MintParamsSchema, type Supply, SupplyAnswerSchema } from '../../../schemas/supply.js'

const FAILURES = {
  400: badRequest('Invalid mint address'),
  404: badRequest('Token mint not found'),
  ...CHAIN_FAILURES
}
const PlainTextResponse = (description: string) => ({
  description,
  content: { 'text/plain': { schema: Type.String({ pattern: '^\\d+(\\.\\d+)?$' }) } }
})

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { supply } = fastify.live

  fastify.get('/:mintAddress', {
    schema: {
      operationId: 'getSupply',
      summary: 'Supply of a token with its breakdown',
      description: 'All figures are of one slot. circulating = total − team performance package.',
      tags: ['supply'],
      params: MintParamsSchema,
      response: { 200: SupplyAnswerSchema, ...FAILURES }
    }
  }, async ({ params }, reply) => {
    const answer = await supply.get(params.mintAddress)
    reply.tellAge(answer)
    return { result: answer.value.totalSupply, data: answer.value }
  })

  const plainText = (path: string, operationId: string, summary: string, pick: (supply: Supply) => string): void => {
    fastify.get(`/:mintAddress/${path}`, {
      schema: {
        operationId,
        summary,
        tags: ['supply'],
        params: MintParamsSchema,
        response: { 200: PlainTextResponse('The number alone, in whole tokens.'), ...FAILURES }
      }
    }, async ({ params }, reply) => {
      const answer = await supply.get(params.mintAddress)
      reply.tellAge(answer)
      return reply.type('text/plain; charset=utf-8').send(pick(answer.value))
    })
  }
  plainText('total', 'getTotalSupply', 'Total supply as plain text', ({ totalSupply }) => totalSupply)
  plainText('circulating', 'getCirculatingSupply', 'Circulating supply as plain text', ({ circulatingSupply }) => circulatingSupply)
}

export default routes
