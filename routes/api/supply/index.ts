import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { Aged } from '../../../lib/live/fresh.js'
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
    tellAge(reply, answer)
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
      tellAge(reply, answer)
      return reply.type('text/plain; charset=utf-8').send(pick(answer.value))
    })
  }
  plainText('total', 'getTotalSupply', 'Total supply as plain text', ({ totalSupply }) => totalSupply)
  plainText('circulating', 'getCirculatingSupply', 'Circulating supply as plain text', ({ circulatingSupply }) => circulatingSupply)
}

function tellAge (reply: FastifyReply, answer: Aged<Supply>): void {
  reply.header('cache-control', `public, max-age=${Math.floor(answer.left / 1000)}`)
  if (answer.left === 0) reply.header('age', Math.floor(answer.age / 1000))
}
export default routes
