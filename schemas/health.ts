import { type Static, Type } from '@sinclair/typebox'

export const HealthSchema = Type.Object({
  status: Type.Literal('healthy', { description: 'Always healthy when the endpoint answers. Whether the figures can be had is another question: /ready.' }),
  timestamp: Type.String({ description: 'Time of the server, ISO 8601.', examples: ['2026-01-31T12:00:00.000Z'] }),
  uptime: Type.Number({ minimum: 0, description: 'Seconds since the process started.' })
}, { $id: 'Health', additionalProperties: false })
export type Health = Static<typeof HealthSchema>
