import { type Static, Type } from '@sinclair/typebox'

const supply = (description: string) => Type.Number({ minimum: 0, description })

export const JupiterTotalSchema = Type.Object({
  totalSupply: supply(
    'Supply of the mint in whole tokens, with every digit it has.'
  )
}, {
  $id: 'JupiterTotalSupply',
  description: 'The total supply as a number.',
  additionalProperties: false,
  examples: [{
    totalSupply: 25800000.5
  }]
})
export type JupiterTotal = Static<typeof JupiterTotalSchema>

export const JupiterCirculatingSchema = Type.Object({
  circulatingSupply: supply(
    'Total supply less the team performance package.'
  )
}, {
  $id: 'JupiterCirculatingSupply',
  description: 'The circulating supply as a number.',
  additionalProperties: false,
  examples: [
    { circulatingSupply: 12900000 }
  ]
})
export type JupiterCirculating = Static<typeof JupiterCirculatingSchema>
