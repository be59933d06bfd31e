import type { Token } from '../../live/tokens.js'

const SHORT = 8

/** A visible character. */
const SEEN = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Never empty: the name, else the symbol, else the address; the symbol, else the beginning of the address. */
export const namesOf = ({ mint, symbol, name }: Pick<Token, 'mint' | 'symbol' | 'name'>) => ({
  name: [name, symbol].find(text => SEEN.test(text)) ?? mint,
  symbol: SEEN.test(symbol) ? symbol : mint.slice(0, SHORT)
})
