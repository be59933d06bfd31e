import { type Static, Type } from '@sinclair/typebox'
import { record } from './common.js'

const supply = (description: string) => Type.Number({ minimum: 0, description })

export const JupiterTotalSchema = record('JupiterTotalSupply', 'The total supply as a number.', {
  totalSupply: supply(
    'Supply of the mint in whole tokens, with every digit it has.'
  )
}, { totalSupply: 25800000.5 })
export type JupiterTotal = Static<typeof JupiterTotalSchema>

export const JupiterCirculatingSchema = record('JupiterCirculatingSupply', 'The circulating supply as a number.', {
  circulatingSupply: supply(
    'Total supply less the team performance package.'
  )
}, { circulatingSupply: 12900000 })
export type JupiterCirculating = Static<typeof JupiterCirculatingSchema>
