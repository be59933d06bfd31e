import { type Static, Type } from '@sinclair/typebox'
import { number, record, time } from './common.js'

export const HealthSchema = record('Health', 'The process is alive.', {
  status: Type.Literal('healthy', {
    description: 'Always healthy when the endpoint answers. Whether the figures can be had is another question: /ready.'
  }),
  timestamp: time('Time of the server, ISO 8601.'),
  uptime: number('Seconds since the process started.', 86400.5)
})
export type Health = Static<typeof HealthSchema>
