import { Type } from '@sinclair/typebox'
import { headers } from './headers.js'

const EXAMPLE = 'retry: 3000\n\n: here\nid: 300000000-2147483647-0\n\nid: 300000123-12-131072\nevent: trade\n' +
  'data: {"pool_id":"DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd","trade_id":"4711","price":"0.301"}\n\n'

/** An answer of events, without an end. */
export const eventStream = {
  description: 'The events, until one side ends it.',
  headers: headers(['Cache-Control']),
  content: { 'text/event-stream': { schema: Type.String(), example: EXAMPLE } }
}
