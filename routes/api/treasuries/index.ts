import { TreasuriesSchema } from '../../../schemas/treasury.js'
import { answer, routes } from '../../endpoint.js'

export default routes('daos', (endpoint, { daos }) => {
  endpoint('', {
    operationId: 'getTreasuries',
    summary: 'Treasuries, largest first',
    description: 'Of the 300 DAOs with the deepest pools, those in a token with a USD value first: what their ' +
      'vaults hold in the token accounts associated with known mints, and what their own positions would withdraw. ' +
      'The token accounts one by one, others too, are at each DAO\'s own path.',
    answer: answer(TreasuriesSchema)
  }, parts => daos.treasuries(parts))
})
