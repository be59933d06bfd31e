const SHORT = 8

/** Something that is seen: no blank, no mark without width, nothing that is drawn as nothing. */
const SEEN = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u

/** The symbol, else the first eight characters of the address. */
export const symbolOf = ({ mint, symbol }: { mint: string, symbol: string }): string =>
  SEEN.test(symbol) ? symbol : mint.slice(0, SHORT)

/** The name, else the symbol, else the address. */
export const nameOf = ({ mint, symbol, name }: { mint: string, symbol: string, name: string }): string =>
  SEEN.test(name) ? name : SEEN.test(symbol) ? symbol : mint
