import { type Static, Type } from '@sinclair/typebox'
import { record } from './common.js'

export const ReadySchema = record('Ready', 'Whether the figures can be served, and what stands in the way.', {
  ready: Type.Boolean({ description: 'Whether tickers and volumes can be served.' }),
  problems: Type.Array(Type.String(), { description: 'What stands in the way; empty when ready.' }),
  answers: Type.Array(Type.Object({
    paths: Type.Array(Type.String(), { description: 'Paths, each with those below it.' }),
    ready: Type.Boolean({ description: 'Whether they answer.' }),
    since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'From when on what they tell is known, while the past is read; null: all of it is, or they do not ' +
        'answer.'
    }),
    seconds_left: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'About how long until they answer; null: they do, or it is not known.'
    })
  }, { additionalProperties: false }), {
    description: 'What can be told by now: each answer waits only for what it states.'
  }),
  chain: Type.Object({
    utc: Type.String({
      format: 'date-time',
      description: 'UTC by what most witnesses say: this machine\'s clock, the nodes\' dates, the chain\'s own time.'
    }),
    clock_offset_seconds: Type.Number({ description: 'By how much this machine\'s clock is ahead of that.' }),
    drift_seconds: Type.Number({
      minimum: 0,
      description: 'By how much the chain\'s clock is behind UTC though its state is current.'
    }),
    halted: Type.Union([Type.String(), Type.Null()], {
      description: 'Where the chain has halted, and since when, as its nodes agree; null: it goes on, or nobody knows.'
    })
  }, { additionalProperties: false }),
  snapshot: Type.Object({
    slot: Type.Union(
      [Type.Integer({ minimum: 0 }), Type.Null()],
      { description: 'Slot of the state now; null before the first.' }
    ),
    age_seconds: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description: 'Its age.' })
  }, { additionalProperties: false }),
  history: Type.Object({
    phase: Type.String({ description: 'starting, last-day, walking-back or following.' }),
    last_day_covered: Type.Boolean({ description: 'Whether the last 24 hours are indexed.' }),
    complete: Type.Boolean({ description: 'Whether the walk has reached the beginning of what the node offers.' }),
    head_age_seconds: Type.Union(
      [Type.Number({ minimum: 0 }), Type.Null()],
      { description: 'Age of the newest finalized moment up to which everything is indexed.' }
    ),
    head_slot: Type.Union(
      [Type.Integer({ minimum: 0 }), Type.Null()],
      { description: 'Newest finalized slot up to which everything is indexed; null before the first.' }
    ),
    last_day: Type.Union([
      Type.Object({
        left: Type.Integer({
          minimum: 0,
          description: 'Transactions of the last 24 hours that are still to be indexed.'
        }),
        total: Type.Integer({ minimum: 0, description: 'Of so many.' }),
        seconds_left: Type.Union(
          [Type.Integer({ minimum: 0 }), Type.Null()],
          { description: 'About how long they will take, at the pace of the last minute; null: not known yet.' }
        )
      }, { additionalProperties: false }),
      Type.Null()
    ], {
      description: 'How far the last 24 hours are, while they are read; null before they are listed, and once they ' +
        'are covered.'
    }),
    missing_events: Type.Integer({
      minimum: 0,
      description: 'Events that the sequence numbers prove and no node has shown.'
    }),
    losses: Type.Integer({
      minimum: 0,
      description: 'Parts of the past inside what is indexed that no node offers any more.'
    }),
    leads: Type.Boolean({ description: 'Whether this process is the one that writes the history.' })
  }, { additionalProperties: false })
}, {
  ready: false,
  problems: ['the last 24 hours are not covered yet'],
  answers: [
    { paths: ['/api/pools', '/market'], ready: true, since: '2026-11-23T09:12:44.000Z', seconds_left: null },
    { paths: ['/api/tickers', '/api/prices', '/coingecko', '/cmc'], ready: false, since: null, seconds_left: 840 }
  ],
  chain: { utc: '2026-11-23T12:00:00.000Z', clock_offset_seconds: 0.4, drift_seconds: 0, halted: null },
  snapshot: { slot: 400123456, age_seconds: 3.2 },
  history: {
    phase: 'last-day',
    last_day_covered: false,
    complete: false,
    head_age_seconds: 1.5,
    head_slot: 400123440,
    last_day: { left: 1240, total: 5110, seconds_left: 840 },
    missing_events: 0,
    losses: 0,
    leads: true
  }
})
export type Ready = Static<typeof ReadySchema>
