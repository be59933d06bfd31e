import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { exact } from '../../../lib/exact-json.js'
import { readQuery } from '../../../lib/query.js'
import { exactResponse, oncePerValue } from '../../../lib/responses/json-response.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { JupiterCirculatingSchema, JupiterTotalSchema } from '../../../schemas/jupiter.js'
import { INVALID_MINT, MINT_NOT_FOUND } from '../../../schemas/errors.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'
import { MintParamsSchema, type Supply } from '../../../schemas/supply.js'

const FAILURES = {
  400: badRequest({ mint: INVALID_MINT, query: 'Invalid date: no parameters here' }),
  404: notFound('There is no mint at this address.', MINT_NOT_FOUND),
  ...CHAIN_FAILURES
}

const ANSWERED = 'The number, with every digit it has.'
const NOT_MODIFIED = notModified(BYTES_HEADERS)

const toTotal = exactResponse(JupiterTotalSchema)
const toCirculating = exactResponse(JupiterCirculatingSchema)
const totalOf = oncePerValue(({ totalSupply }: Supply) => toTotal({ totalSupply: exact(totalSupply) }))
const circulatingOf = oncePerValue(({ circulatingSupply }: Supply) =>
  toCirculating({ circulatingSupply: exact(circulatingSupply) }))

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { supply } = fastify.cache
  fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong
  const common = { tags: ['aggregators'], params: MintParamsSchema, querystring: Type.Object({}) }

  fastify.get('/:mintAddress/total', {
    schema: {
      operationId: 'getJupiterTotalSupply',
      summary: 'Jupiter: total supply as a number',
      description: 'The supply of the mint in whole tokens.',
      ...common,
      response: { 200: json(JupiterTotalSchema, ANSWERED, BYTES_HEADERS), 304: NOT_MODIFIED, ...FAILURES }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    const { value, ...age } = await supply.get(params.mintAddress)
    return reply.sendCached({ value: await totalOf(value), ...age })
  })

  fastify.get('/:mintAddress/circulating', {
    schema: {
      operationId: 'getJupiterCirculatingSupply',
      summary: 'Jupiter: circulating supply as a number',
      description: 'Total supply less the team performance package, in whole tokens.',
      ...common,
      response: { 200: json(JupiterCirculatingSchema, ANSWERED, BYTES_HEADERS), 304: NOT_MODIFIED, ...FAILURES }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    const { value, ...age } = await supply.get(params.mintAddress)
    return reply.sendCached({ value: await circulatingOf(value), ...age })
  })
}
export default routes
