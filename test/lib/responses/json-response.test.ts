import type { TSchema } from '@sinclair/typebox'
import { test } from 'tap'
import { serializer } from '../../../lib/responses/json-response.js'
import { AggregateSchema } from '../../../schemas/aggregate.js'
import { DaosSchema } from '../../../schemas/daos.js'
import { FeesSchema } from '../../../schemas/fees.js'
import { PoolDetailSchema, PoolsSchema } from '../../../schemas/pools.js'
import { TickersSchema } from '../../../schemas/ticker.js'

test('what is written is the value, and only fields of the schema are', async t => {
  for (const schema of [
    TickersSchema, PoolsSchema, PoolDetailSchema, DaosSchema, AggregateSchema, FeesSchema
  ] as TSchema[]) {
    const [example] = schema.examples as [Record<string, unknown>]
    const value = Array.isArray(example) ? example : { ...example, unknown: 1 }
    t.same(JSON.parse(serializer(schema)(value)), example, String(schema.$id))
  }
  t.throws(() => serializer(DaosSchema)({} as never), { message: /is required!/ })
})
