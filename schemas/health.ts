import { type Static, Type } from '@sinclair/typebox'
import { record } from './common.js'

export const HealthSchema = record('Health', 'The process is alive.', {
  status: Type.Literal('healthy', {
    description: 'Always healthy when the endpoint answers. Whether the figures can be had is another question: /ready.'
  }),
  timestamp: Type.String({
    format: 'date-time',
    description: 'Time of the server, ISO 8601.',
    examples: ['2026-01-31T12:00:00.000Z']
  }),
  uptime: Type.Number({ minimum: 0, description: 'Seconds since the process started.', examples: [86400.5] })
})
export type Health = Static<typeof HealthSchema>
