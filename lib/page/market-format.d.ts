/** The page's own way of writing figures, which what the server writes onto it shares. */
declare module '*/public/market/format.js' {
  /** Of what can't be read as a figure. */
  export const NONE: string
  export function formatPrice (text: string | undefined): string
  export function formatCompact (text: string): string
  /** Of per cent. */
  export function formatChange (text: string | null): string
  export function formatNumber (value: number | null): string
  export function abbreviate (address: string): string
  /** Characters as people see them (grapheme clusters). */
  export const MAX_SYMBOL: number
  export const MAX_NAME: number
  /** Undefined where a text has no more than `most`. */
  export function endOf (text: string, most: number): number | undefined
  /** Without what is not seen, and cut, with an ellipsis, where it is longer than `most` characters. */
  export function cutText (text: string, most: number): string
}
declare module '*/public/market/decimal.js' {
  /** `text` times 10 to this power. */
  export function shift (text: string, by: number): string
}
