import { type TString, Type } from '@sinclair/typebox'

/** Query parameters, for the document: handlers read them (lib/query.ts), so that each error names its parameter. */

export const parameter = (description: string, example: string): TString => Type.String(
  { description, examples: [example] }
)

const EXAMPLE = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta_EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

export const TICKER_ID_PARAMETER = parameter('Base mint, underscore, quote mint.', EXAMPLE)
/** The bounds of a range of time, and their synonyms; the handler reads them (`readRange`). */
export function rangeParameters (what: string, from: string, to: string) {
  const bound = (name: string, text: string, example: string) =>
    Type.Optional(parameter(`${text}: Unix seconds, or an ISO 8601 date or time.${name}`, example))
  return {
    from: bound('', `${what} at or after this time${from}`, '2026-01-31'),
    to: bound(' A date includes that day.', `${what} at or before this time${to}`, '2999-12-31'),
    since: bound('', 'Another name of from', '1769860800'),
    until: bound('', 'Another name of to', '2999-12-31T23:59:59Z')
  }
}
export const depthParameter = (otherwise: number) =>
  Type.Optional(parameter(
    `Levels of both sides together, 500 at most; 0: as many as there are (500). Default ${otherwise}.`,
    '100'
  ))
