import { type Static, Type } from '@sinclair/typebox'
import { boolean, integer, number, object, orNull, record, text, time } from './common.js'

export const ReadySchema = record('Ready', 'Whether the figures can be served, and what stands in the way.', {
  ready: boolean('Whether tickers and volumes can be served.', false),
  problems: Type.Array(
    text('', 'the last 24 hours are not covered yet'), { description: 'What stands in the way; empty when ready.' }
  ),
  answers: Type.Array(object({
    paths: Type.Array(
      text('', '/api/pools'), { description: 'Paths, each with those below it that are in no other group.' }
    ),
    ready: boolean('Whether they answer.'),
    since: orNull(
      time('', '2026-11-23T09:12:44.000Z'),
      'From when on what they tell is known, while the past is read; null: all of it is, or they do not answer.'
    ),
    seconds_left: orNull(integer(''), 'About how long until they answer; null: they do, or it is not known.')
  }, '', { seconds_left: null }), {
    description: 'What can be told by now: each answer waits only for what it states.'
  }),
  chain: object({
    utc: time(
      'UTC by what most witnesses say: this machine\'s clock, the nodes\' dates, the chain\'s own time.',
      '2026-11-23T12:00:00.000Z'
    ),
    clock_offset_seconds: Type.Number({
      description: 'By how much this machine\'s clock is ahead of that.', examples: [0.4]
    }),
    drift_seconds: number('By how much the chain\'s clock is behind UTC though its state is current.', 0),
    halted: orNull(
      text(''), 'Where the chain has halted, and since when, as its nodes agree; null: it goes on, or nobody knows.'
    )
  }, 'The chain, and what time it is.', { halted: null }),
  snapshot: object({
    slot: orNull(integer('', 400123456), 'Slot of the state now; null before the first.'),
    age_seconds: orNull(number('', 3.2), 'Its age.')
  }, 'The state now.'),
  history: object({
    phase: text('starting, last-day, walking-back or following.', 'last-day'),
    last_day_covered: boolean('Whether the last 24 hours are indexed.', false),
    complete: boolean('Whether the walk has reached the beginning of what the node offers.', false),
    head_age_seconds: orNull(
      number('', 1.5), 'Age of the newest finalized moment up to which everything is indexed.'
    ),
    head_slot: orNull(
      integer('', 400123440), 'Newest finalized slot up to which everything is indexed; null before the first.'
    ),
    last_day: orNull(object({
      left: integer('Transactions of the last 24 hours that are still to be indexed.', 1240),
      total: integer('Of so many.', 5110),
      seconds_left: orNull(
        integer('', 840), 'About how long they will take, at the pace so far; null: not known yet.'
      )
    }), 'How far the last 24 hours are, while they are read; null before they are listed, and once they are covered.'),
    missing_events: integer('Events that the sequence numbers prove and no node has shown.', 0),
    losses: integer('Parts of the past inside what is indexed that no node offers any more.', 0),
    leads: boolean('Whether this process is the one that writes the history.')
  }, 'What is indexed.')
})
export type Ready = Static<typeof ReadySchema>

export const HealthSchema = record('Health', 'The process is alive.', {
  status: Type.Literal('healthy', {
    description: 'Always healthy when the endpoint answers. Whether the figures can be had is another question: /ready.'
  }),
  timestamp: time('Time of the server, ISO 8601.'),
  uptime: number('Seconds since the process started.', 86400.5)
})
export type Health = Static<typeof HealthSchema>
