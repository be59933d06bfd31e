import { type TString, Type } from '@sinclair/typebox'

/** Query parameters, for the document: handlers read them (lib/query.ts), so that each error names its parameter. */

const parameter = (description: string, example: string): TString => Type.String({ description, examples: [example] })

const EXAMPLE = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta_EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

export const TICKER_ID_PARAMETER = parameter('Base mint, underscore, quote mint.', EXAMPLE)
export const depthParameter = (otherwise: number) =>
  Type.Optional(parameter(
    `Levels of both sides together, 500 at most; 0: as many as there are (500). Default ${otherwise}.`,
    '100'
  ))
