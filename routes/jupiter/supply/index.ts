import { exact } from '../../../lib/exact-json.js'
import { exactResponse } from '../../../lib/http/cached-response.js'
import { formOf } from '../../../lib/responses/sources.js'
import { JupiterCirculatingSchema, JupiterTotalSchema } from '../../../schemas/supply.js'
import { answer, MINT, routes } from '../../endpoint.js'

export default routes('aggregators', (endpoint, { supply }) => {
  const total = formOf(supply, ({ totalSupply }) =>
    exactResponse<{ totalSupply: number }>({ totalSupply: exact(totalSupply) }))
  const circulating = formOf(supply, ({ circulatingSupply }) =>
    exactResponse<{ circulatingSupply: number }>({ circulatingSupply: exact(circulatingSupply) }))

  endpoint('/:mintAddress/total', {
    operationId: 'getJupiterTotalSupply',
    summary: 'Jupiter: total supply as a number',
    description: 'The supply of the mint in whole tokens.',
    ...MINT,
    answer: answer(JupiterTotalSchema)
  }, (parts, { params }) => total(parts, params.mintAddress))

  endpoint('/:mintAddress/circulating', {
    operationId: 'getJupiterCirculatingSupply',
    summary: 'Jupiter: circulating supply as a number',
    description: 'Total supply less the team performance package, in whole tokens.',
    ...MINT,
    answer: answer(JupiterCirculatingSchema)
  }, (parts, { params }) => circulating(parts, params.mintAddress))
})
