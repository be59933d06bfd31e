import { number, record } from './common.js'

export const JupiterTotalSchema = record('JupiterTotalSupply', 'The total supply as a number.', {
  totalSupply: number('Supply of the mint in whole tokens, with every digit it has.', 25800000.5)
})

export const JupiterCirculatingSchema = record('JupiterCirculatingSupply', 'The circulating supply as a number.', {
  circulatingSupply: number('Total supply less the team performance package.', 12900000)
})
