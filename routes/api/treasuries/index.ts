import type { FastifyPluginAsync } from 'fastify'
import { TreasuriesSchema } from '../../../schemas/treasury.js'
import { answer, endpoint } from '../../endpoint.js'

const routes: FastifyPluginAsync = async fastify => {
  const { daos } = fastify

  endpoint(fastify, '', {
    operationId: 'getTreasuries',
    summary: 'Treasuries, largest first',
    description: 'Of the 300 DAOs with the deepest pools, those in a token with a USD value first: what their ' +
      'vaults hold in the token accounts associated with known mints, and what their own positions would withdraw. ' +
      'The token accounts one by one, others too, are at each DAO\'s own path.',
    tag: 'daos',
    answer: answer(TreasuriesSchema)
  }, parts => daos.treasuries(parts))
}
export default routes
