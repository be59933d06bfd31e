import { type Static, Type } from '@sinclair/typebox'

export const ReadySchema = Type.Object({
  ready: Type.Boolean({ description: 'Whether tickers and volumes can be served.' }),
  problems: Type.Array(Type.String(), { description: 'What stands in the way; empty when ready.' }),
  snapshot: Type.Object({
    slot: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Slot of the state now; null before the first.' }),
    age_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'Its age.' })
  }, { additionalProperties: false }),
  history: Type.Object({
    phase: Type.String({ description: 'starting, last-day, walking-back or following.' }),
    last_day_covered: Type.Boolean({ description: 'Whether the last 24 hours are indexed.' }),
    complete: Type.Boolean({ description: 'Whether the walk has reached the beginning of what the node offers.' }),
    head_age_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'Seconds since the head of the history was last reached.' }),
    missing_events: Type.Integer({ minimum: 0, description: 'Events that the sequence numbers prove and no node has shown.' })
  }, { additionalProperties: false })
}, {
  $id: 'Ready',
  description: 'Whether the figures can be served, and what stands in the way.',
  additionalProperties: false,
  examples: [{
    ready: false,
    problems: ['the last 24 hours are not indexed yet'],
    snapshot: { slot: 400123456, age_seconds: 3.2 },
    history: { phase: 'last-day', last_day_covered: false, complete: false, head_age_seconds: 1.5, missing_events: 0 }
  }]
})
export type Ready = Static<typeof ReadySchema>
