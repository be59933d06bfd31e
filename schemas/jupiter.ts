import { Type } from '@sinclair/typebox'
import { record } from './common.js'

const supply = (description: string, example: number) => Type.Number({ minimum: 0, description, examples: [example] })

export const JupiterTotalSchema = record('JupiterTotalSupply', 'The total supply as a number.', {
  totalSupply: supply('Supply of the mint in whole tokens, with every digit it has.', 25800000.5)
})

export const JupiterCirculatingSchema = record('JupiterCirculatingSupply', 'The circulating supply as a number.', {
  circulatingSupply: supply('Total supply less the team performance package.', 12900000)
})
