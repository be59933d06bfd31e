import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import { DEAR } from '../../lib/http/dear-routes.js'
import type { BlockRange } from '../../lib/responses/forms/block-range.js'
import { integer, type Parameter, readQuery } from '../../lib/query.js'
import { DexPairSchema, LatestBlockSchema } from '../../schemas/block-range.js'
import { DAO_EXAMPLE } from '../../schemas/common.js'
import { BYTES_HEADERS } from '../../schemas/headers.js'
import { INVALID_MINT, INVALID_POOL_ID, MINT_NOT_FOUND, poolNotFound } from '../../schemas/errors.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../schemas/responses.js'

const FAILURES = { 304: notModified(BYTES_HEADERS), ...CHAIN_FAILURES }
const MINT = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'

const idParameter = (expects: string): Parameter<string> => ({ expects, read: text => text })
const described = (description: string, example: string) => Type.String({ description, examples: [example] })

interface BlockRangeForm {
  /** Who reads it, for the document; and as a part of the operations' names. */
  reader: string
  name: string
  asset: TSchema
  events: TSchema
}

/**
 * The four endpoints of the block-range form, for one reader's variant of it. `form`: what answers, asked for once the
 * application has it.
 */
export function blockRangeRoutes (
  { reader, name, asset, events }: BlockRangeForm,
  form: (fastify: Parameters<FastifyPluginAsyncTypebox>[0]) => BlockRange<unknown, unknown>
): FastifyPluginAsyncTypebox {
  return async fastify => {
    fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong
    const tags = ['aggregators']

    fastify.get('/latest-block', {
      schema: {
        operationId: `get${name}LatestBlock`,
        summary: `${reader}: the newest block that can be asked for`,
        description: 'The newest finalized slot up to which every event is stored, numbered without a gap and placed ' +
          'in its block. It moves while nothing is ' +
          'traded, never back, and never past a slot that something may still be missing from.',
        tags,
        querystring: Type.Object({}),
        response: {
          200: json(LatestBlockSchema, 'The block.', BYTES_HEADERS),
          400: badRequest(
            'Invalid id: no parameters here'
          ),
          ...FAILURES
        }
      }
    }, async ({ query }, reply) => {
      readQuery(query, {})
      return reply.sendCached(await form(fastify).latestBlock())
    })

    fastify.get('/asset', {
      schema: {
        operationId: `get${name}Asset`,
        summary: `${reader}: a token`,
        description: 'A token of any pool that is not excluded. Name and symbol are never empty.',
        tags,
        querystring: Type.Object({ id: described('Mint.', MINT) }),
        response: {
          200: json(asset, 'The token.', BYTES_HEADERS),
          400: badRequest({ mint: INVALID_MINT, query: 'Invalid id: the address of a token mint' }),
          404: notFound('No pool has this token.', MINT_NOT_FOUND),
          ...FAILURES
        }
      }
    }, async ({ query }, reply) => {
      const { id } = readQuery(query, { id: idParameter('the address of a token mint') })
      return reply.sendCached(await form(fastify).asset(id))
    })

    fastify.get('/pair', {
      schema: {
        operationId: `get${name}Pair`,
        summary: `${reader}: a pool`,
        description: 'What never changes of a pool. Answers 503 until the event that began the DAO is stored.',
        tags,
        querystring: Type.Object({ id: described('Address of the DAO, which is the pool.', DAO_EXAMPLE) }),
        response: {
          200: json(DexPairSchema, 'The pool.', BYTES_HEADERS),
          400: badRequest({ pool: INVALID_POOL_ID, query: 'Invalid id: the address of a pool' }),
          404: notFound('No such pool, or it is excluded.', poolNotFound('<id>')),
          ...FAILURES
        }
      }
    }, async ({ query }, reply) => {
      const { id } = readQuery(query, { id: idParameter('the address of a pool') })
      return reply.sendCached(await form(fastify).pair(id))
    })

    fastify.get('/events', {
      config: DEAR,
      schema: {
        operationId: `get${name}Events`,
        summary: `${reader}: the events of a range of blocks`,
        description: 'Swaps, and liquidity that came and went, from fromBlock to toBlock, both included, in the ' +
          'order of the chain; 20,000 blocks at most. ' +
          'A range never changes once it is given. Swaps that gave nothing have no price and are left out, as are ' +
            'the events of excluded DAOs.',
        tags,
        querystring: Type.Object({
          fromBlock: described(
            'First slot.',
            '400120000'
          ),
          toBlock: described('Last slot, the latest block at most.', '400123456')
        }),
        response: {
          200: json(events, 'The events.', BYTES_HEADERS),
          400: badRequest({
            from: 'Invalid fromBlock: a whole number, 0 or more',
            long: 'Invalid toBlock: at most 20000 blocks in one call',
            late: 'Invalid toBlock: the latest block, 400123456, at most'
          }),
          ...FAILURES
        }
      }
    }, async ({ query, turn }, reply) => {
      const { fromBlock, toBlock } = readQuery(query, { fromBlock: integer({}), toBlock: integer({}) })
      return reply.sendCached(await form(fastify).events(fromBlock, toBlock, turn))
    })
  }
}
