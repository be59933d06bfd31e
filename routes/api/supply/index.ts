import { prefersJson } from '../../../lib/http/media-type.js'
import { jsonResponse, makeCachedResponse } from '../../../lib/http/cached-response.js'
import { formOf } from '../../../lib/responses/sources.js'
import { PLAIN_AMOUNT } from '../../../schemas/responses.js'
import { type Supply, SupplyAnswerSchema } from '../../../schemas/supply.js'
import { answer, MINT, routes } from '../../endpoint.js'

const BOTH_FORMS = { vary: 'accept, accept-encoding' }

const SUPPLY = { ...MINT, query: 'any' as const }

export default routes('supply', (endpoint, { supply }) => {
  const record = formOf(supply, data => jsonResponse({ result: data.totalSupply, data }))

  endpoint('/:mintAddress', {
    operationId: 'getSupply',
    summary: 'Supply of a token with its breakdown',
    description: 'All figures are of one slot. Circulating = total − team performance package; what the pools hold ' +
      'circulates. A token of no launch circulates as a whole, but for what nobody has claimed of one issued anew.',
    ...SUPPLY,
    answer: answer(SupplyAnswerSchema)
  }, (parts, { params }) => record(parts, params.mintAddress))

  function plainText (
    path: string, operationId: string, summary: string, description: string, pick: (supply: Supply) => string
  ): void {
    const asText = formOf(supply, value => makeCachedResponse('text/plain; charset=utf-8', pick(value), BOTH_FORMS))
    const asJson = formOf(supply, value => jsonResponse({ result: pick(value) }, BOTH_FORMS))
    endpoint<unknown, 'mintAddress'>(`/:mintAddress/${path}`, {
      operationId,
      summary,
      description,
      ...SUPPLY,
      answer: PLAIN_AMOUNT
    }, (parts, { params, accept }) => (prefersJson(accept) ? asJson : asText)(parts, params.mintAddress))
  }
  plainText(
    'total', 'getTotalSupply', 'Total supply as plain text',
    'The supply of the mint in whole tokens, exact, without trailing zeros.', ({ totalSupply }) => totalSupply
  )
  plainText(
    'circulating', 'getCirculatingSupply', 'Circulating supply as plain text',
    'Total supply less the team performance package, in whole tokens; what the pools hold circulates.',
    ({ circulatingSupply }) => circulatingSupply
  )
})
