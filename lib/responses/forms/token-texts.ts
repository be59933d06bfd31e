/** Texts of a token where they may not be empty: its metadata are its creator's, and may say nothing. */

const SHORT = 8

/** The symbol, else the first eight characters of the address. */
export const symbolOf = ({ mint, symbol }: { mint: string, symbol: string }): string => symbol.trim() === '' ? mint.slice(0, SHORT) : symbol

/** The name, else the symbol, else the address. */
export const nameOf = ({ mint, symbol, name }: { mint: string, symbol: string, name: string }): string =>
  name.trim() !== '' ? name : symbol.trim() !== '' ? symbol : mint
