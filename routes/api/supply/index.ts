import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { prefersJson } from '../../../lib/http/media-type.js'
import { makeCachedResponse } from '../../../lib/http/cached-response.js'
import { jsonResponse, oncePerValue } from '../../../lib/responses/json-response.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { INVALID_MINT, MINT_NOT_FOUND } from '../../../schemas/errors.js'
import {
  badRequest, CHAIN_FAILURES, json, notFound, notModified, plainNumberOrJson
} from '../../../schemas/responses.js'
import { MintParamsSchema, type Supply, SupplyAnswerSchema } from '../../../schemas/supply.js'

const FAILURES = {
  400: badRequest(INVALID_MINT),
  404: notFound('There is no mint at this address.', MINT_NOT_FOUND),
  ...CHAIN_FAILURES
}

/** The bytes depend on two headers of the request. */
const BOTH_FORMS = { vary: 'accept, accept-encoding' }

const toResponse = jsonResponse(SupplyAnswerSchema)
const supplyResponse = oncePerValue((value: Supply) => toResponse({ result: value.totalSupply, data: value }))

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { supply } = fastify.cache

  fastify.get('/:mintAddress', {
    schema: {
      operationId: 'getSupply',
      summary: 'Supply of a token with its breakdown',
      description: 'All figures are of one slot. Circulating = total − team performance package; what the pools hold ' +
        'circulates. ' +
        'A token of no launch circulates as a whole.',
      tags: ['supply'],
      params: MintParamsSchema,
      response: {
        200: json(SupplyAnswerSchema, 'The supply and its parts.', BYTES_HEADERS),
        304: notModified(
          BYTES_HEADERS
        ),
        ...FAILURES
      }
    }
  }, async ({ params }, reply) => {
    const { value, ...age } = await supply.get(params.mintAddress)
    return reply.sendCached({ value: supplyResponse(value), ...age })
  })

  const plainText = (
    path: string, operationId: string, summary: string, description: string, pick: (supply: Supply) => string
  ): void => {
    const asText = oncePerValue((value: Supply) =>
      makeCachedResponse<string>('text/plain; charset=utf-8', pick(value), BOTH_FORMS))
    const asJson = oncePerValue((value: Supply) => makeCachedResponse<string>(
      'application/json; charset=utf-8',
      JSON.stringify({ result: pick(value) }),
      BOTH_FORMS
    ))
    fastify.get(`/:mintAddress/${path}`, {
      schema: {
        operationId,
        summary,
        description,
        tags: ['supply'],
        params: MintParamsSchema,
        response: {
          200: plainNumberOrJson(
            'The number alone, in whole tokens; `{"result": "…"}` where `Accept` asks for application/json.',
            '12900000',
            BYTES_HEADERS
          ),
          304: notModified(BYTES_HEADERS),
          ...FAILURES
        }
      }
    }, async ({ params, headers }, reply) => {
      const { value, ...age } = await supply.get(params.mintAddress)
      const response = prefersJson(headers.accept) ? asJson(value) : asText(value)
      return reply.sendCached({ value: response, ...age })
    })
  }
  plainText(
    'total',
    'getTotalSupply',
    'Total supply as plain text',
    'The supply of the mint in whole tokens, exact, without trailing zeros.',
    ({ totalSupply }) => totalSupply
  )
  plainText('circulating', 'getCirculatingSupply', 'Circulating supply as plain text',
    'Total supply less the team performance package, in whole tokens; what the pools hold circulates.', ({
      circulatingSupply
    }) => circulatingSupply)
}

export default routes
