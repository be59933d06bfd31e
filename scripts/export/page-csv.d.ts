/** The page's files and those of an export have the same cells. */
declare module '*/public/market/csv.js' {
  /** A text that a spreadsheet would run as a formula is kept from it. */
  export function csvCell (value: unknown): string
}
