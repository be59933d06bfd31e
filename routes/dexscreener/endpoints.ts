import type { FastifyInstance } from 'fastify'
import type { BlockRange } from '../../lib/responses/forms/block-range.js'
import { integer } from '../../lib/query.js'
import { text } from '../../lib/responses/parameters.js'
import {
  DexPairSchema, type DexAssetSchema, type DexEventsSchema, type GeckoTerminalAssetSchema,
  type GeckoTerminalEventsSchema, LatestBlockSchema
} from '../../schemas/block-range.js'
import { DAO_EXAMPLE, MINT_EXAMPLE } from '../../schemas/common.js'
import { INVALID_MINT, INVALID_POOL_ID, MINT_NOT_FOUND, notFound } from '../../schemas/errors.js'
import { failure } from '../../schemas/responses.js'
import { answer, routes, undated } from '../endpoint.js'

interface BlockRangeForm {
  /** Its name in the document, and in the operations' ids. */
  reader: string
  name: string
  asset: typeof DexAssetSchema | typeof GeckoTerminalAssetSchema
  events: typeof DexEventsSchema | typeof GeckoTerminalEventsSchema
}

/** How long the latest block is fresh, ms. */
const LATEST_TTL = 1_000

/** The four endpoints of a reader's variant of the block-range form; `formOf`: what answers. */
export const blockRangeRoutes = (
  { reader, name, asset, events }: BlockRangeForm, formOf: (answers: FastifyInstance['answers']) => BlockRange
) => routes('aggregators', (endpoint, answers) => {
  const form = formOf(answers)

  endpoint('/latest-block', {
    operationId: `get${name}LatestBlock`,
    summary: `${reader}: the newest block that can be asked for`,
    description: 'The newest finalized slot up to which every event is stored, numbered without a gap and placed in ' +
      'its block. It moves while nothing is traded, never back, and never past a slot that something may still be ' +
      'missing from.',
    ttl: LATEST_TTL,
    answer: undated(LatestBlockSchema)
  }, form.latestBlock)

  endpoint('/asset', {
    operationId: `get${name}Asset`,
    summary: `${reader}: a token`,
    description: 'A token of any pool that is not excluded. Name and symbol are never empty.',
    query: { id: text('Mint.', 'the address of a token mint', MINT_EXAMPLE) },
    answer: answer(asset),
    invalid: { mint: INVALID_MINT },
    missing: failure('No pool has this token.', MINT_NOT_FOUND)
  }, (parts, { asked }) => form.asset(parts, asked.id))

  endpoint('/pair', {
    operationId: `get${name}Pair`,
    summary: `${reader}: a pool`,
    description: 'What never changes of a pool. Answers 503 until the event that began the DAO is stored.',
    query: { id: text('Address of the DAO, which is the pool.', 'the address of a pool', DAO_EXAMPLE) },
    answer: undated(DexPairSchema),
    invalid: { pool: INVALID_POOL_ID },
    missing: failure('No such pool, or it is excluded.', notFound('Pool', '<id>'))
  }, (_parts, { asked }) => form.pair(asked.id))

  endpoint('/events', {
    operationId: `get${name}Events`,
    summary: `${reader}: the events of a range of blocks`,
    description: 'Swaps, and liquidity that came and went, from fromBlock to toBlock, both included, in the order ' +
      'of the chain; 20,000 blocks at most. A range never changes once it is given. Swaps that gave nothing have ' +
      'no price and are left out, as are the events of excluded DAOs.',
    query: {
      fromBlock: integer('First slot.', 'slot', 400120000),
      toBlock: integer('Last slot, the latest block at most.', 'slot', 400123456)
    },
    answer: undated(events),
    invalid: {
      long: 'Invalid toBlock: at most 20000 blocks in one call',
      late: 'Invalid toBlock: the latest block, 400123456, at most'
    },
    isCostly: true
  }, (_parts, { asked, turn }) => form.events(asked.fromBlock, asked.toBlock, turn))
})
