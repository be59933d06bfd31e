import type { FastifyPluginAsync } from 'fastify'
import { exact } from '../../../lib/exact-json.js'
import { exactResponse } from '../../../lib/responses/json-response.js'
import { oncePerValue } from '../../../lib/responses/sources.js'
import { JupiterCirculatingSchema, JupiterTotalSchema } from '../../../schemas/jupiter.js'
import type { Supply } from '../../../schemas/supply.js'
import { answer, endpoint, MINT } from '../../endpoint.js'

const ANSWERED = 'The number, with every digit it has.'

const toTotal = exactResponse(JupiterTotalSchema)
const toCirculating = exactResponse(JupiterCirculatingSchema)
const totalOf = oncePerValue(({ totalSupply }: Supply) => toTotal({ totalSupply: exact(totalSupply) }))
const circulatingOf = oncePerValue(({ circulatingSupply }: Supply) =>
  toCirculating({ circulatingSupply: exact(circulatingSupply) }))

const routes: FastifyPluginAsync = async fastify => {
  const { supply } = fastify.cache
  const common = { tag: 'aggregators', ...MINT, query: {} }

  endpoint(fastify, '/:mintAddress/total', {
    operationId: 'getJupiterTotalSupply',
    summary: 'Jupiter: total supply as a number',
    description: 'The supply of the mint in whole tokens.',
    ...common,
    answer: answer(JupiterTotalSchema, ANSWERED)
  }, async ({ params }) => {
    const { value, ...age } = await supply.get(params.mintAddress)
    return { value: totalOf(value), ...age }
  })

  endpoint(fastify, '/:mintAddress/circulating', {
    operationId: 'getJupiterCirculatingSupply',
    summary: 'Jupiter: circulating supply as a number',
    description: 'Total supply less the team performance package, in whole tokens.',
    ...common,
    answer: answer(JupiterCirculatingSchema, ANSWERED)
  }, async ({ params }) => {
    const { value, ...age } = await supply.get(params.mintAddress)
    return { value: circulatingOf(value), ...age }
  })
}
export default routes
