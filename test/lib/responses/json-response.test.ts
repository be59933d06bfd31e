import { Type, type TSchema } from '@sinclair/typebox'
import { test } from 'tap'
import { serializer, slicedSerializer } from '../../../lib/responses/json-response.js'
import { AggregateSchema } from '../../../schemas/aggregate.js'
import { DaosSchema } from '../../../schemas/daos.js'
import { FeesSchema } from '../../../schemas/fees.js'
import { PoolDetailSchema, PoolsSchema } from '../../../schemas/pools.js'
import { TickersSchema } from '../../../schemas/ticker.js'

test('written in slices it is the same text, and only fields of the schema are', async t => {
  for (const schema of [TickersSchema, PoolsSchema, PoolDetailSchema, DaosSchema, AggregateSchema, FeesSchema] as TSchema[]) {
    const [example] = schema.examples as [Record<string, unknown>]
    const value = Array.isArray(example) ? example : { ...example, unknown: 1 }
    t.equal(String(await slicedSerializer(schema)(value)), serializer(schema)(value), String(schema.$id))
    t.same(JSON.parse(String(await slicedSerializer(schema)(value))), example, String(schema.$id))
  }
})

test('a member that may be left out is, and one that must be there is missed', async t => {
  const schema = Type.Object({ 'a"': Type.Optional(Type.Integer()), list: Type.Array(Type.String()), last: Type.Optional(Type.Array(Type.Null())) }, { additionalProperties: false })
  const sliced = slicedSerializer(schema)
  for (const value of [{ list: [] }, { list: ['x"\n'], 'a"': 5 }, { last: [null], list: ['y'] }]) t.equal(String(await sliced(value)), serializer(schema)(value))
  await t.rejects(sliced({} as never), { message: '"list" is required!' })
  t.throws(() => serializer(schema)({} as never), { message: '"list" is required!' })
})

test('a long list lets others have their turn, whatever its items are', async t => {
  for (const schema of [TickersSchema, PoolsSchema] as TSchema[]) {
    const [[example]] = schema.examples as [[unknown]]
    const list = new Array<unknown>(30_000).fill(example)
    let [turns, over] = [0, false]
    const others = () => {
      turns++
      if (!over) setImmediate(others)
    }
    setImmediate(others)
    const bytes = await slicedSerializer(schema)(list)
    over = true
    t.ok(turns >= 3, `${String(schema.$id)}: ${turns} turns of others`)
    t.equal(bytes.toString(), JSON.stringify(list), String(schema.$id))
  }
})
