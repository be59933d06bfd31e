import type { FastifyPluginAsync } from 'fastify'
import { exact } from '../../../lib/exact-json.js'
import { exactResponse } from '../../../lib/responses/json-response.js'
import { formOf } from '../../../lib/responses/sources.js'
import { JupiterCirculatingSchema, JupiterTotalSchema } from '../../../schemas/jupiter.js'
import { answer, endpoint, MINT } from '../../endpoint.js'

const routes: FastifyPluginAsync = async fastify => {
  const { supply } = fastify
  const total = formOf(supply, ({ totalSupply }) =>
    exactResponse<{ totalSupply: number }>({ totalSupply: exact(totalSupply) }))
  const circulating = formOf(supply, ({ circulatingSupply }) =>
    exactResponse<{ circulatingSupply: number }>({ circulatingSupply: exact(circulatingSupply) }))
  const common = { tag: 'aggregators', ...MINT }

  endpoint(fastify, '/:mintAddress/total', {
    operationId: 'getJupiterTotalSupply',
    summary: 'Jupiter: total supply as a number',
    description: 'The supply of the mint in whole tokens.',
    ...common,
    answer: answer(JupiterTotalSchema)
  }, (parts, { params }) => total(parts, params.mintAddress))

  endpoint(fastify, '/:mintAddress/circulating', {
    operationId: 'getJupiterCirculatingSupply',
    summary: 'Jupiter: circulating supply as a number',
    description: 'Total supply less the team performance package, in whole tokens.',
    ...common,
    answer: answer(JupiterCirculatingSchema)
  }, (parts, { params }) => circulating(parts, params.mintAddress))
}
export default routes
