import { DAO_EXAMPLE } from '../../../schemas/common.js'
import { DaoRecordSchema } from '../../../schemas/dao.js'
import { DaosSchema } from '../../../schemas/daos.js'
import { INVALID_DAO } from '../../../schemas/errors.js'
import { ProposalsSchema } from '../../../schemas/proposals.js'
import { NO_DAO } from '../../../schemas/responses.js'
import { TreasurySchema } from '../../../schemas/treasury.js'
import { answer, endpointsOf, pathParameter, routes } from '../../endpoint.js'

const DAO = {
  params: {
    dao: pathParameter('Address of the DAO, or the mint of its base token where one listed DAO trades it.', DAO_EXAMPLE)
  },
  invalid: { dao: INVALID_DAO },
  missing: NO_DAO
}

export default routes('daos', (endpoint, { market, daos, proposals }, fastify) => {
  endpointsOf(fastify, 'service')('', {
    operationId: 'getDaos',
    summary: 'Every discovered DAO, listed or not',
    description: 'The completeness report: why a DAO is not among the tickers, and how much of its history is ' +
      'indexed. discovered = listed + left_out.',
    query: 'any',
    answer: answer(DaosSchema)
  }, parts => market.daos(parts))

  endpoint('/:dao', {
    operationId: 'getDao',
    summary: 'Everything of one DAO',
    description: 'The DAO with its market, its supply and where that lies, and its treasury: each a fact of the ' +
      'chain or what follows from facts. What would count trades that are not read yet is null.',
    ...DAO,
    answer: answer(DaoRecordSchema)
  }, (parts, { params }) => daos.one(parts, params.dao))

  endpoint('/:dao/treasury', {
    operationId: 'getTreasury',
    summary: 'The treasury of a DAO',
    description: 'What its vault holds by token account, what its own positions in the pools would withdraw, and ' +
      'what that makes of each circulating token. All of one slot.',
    ...DAO,
    answer: answer(TreasurySchema)
  }, (parts, { params }) => daos.treasury(parts, params.dao))

  endpoint('/:dao/proposals', {
    operationId: 'getDaoProposals',
    summary: 'Proposals of a DAO',
    description: 'As `/api/proposals?dao=`: newest first, 1,000 at most.',
    ...DAO,
    answer: answer(ProposalsSchema)
  }, (parts, { params }) => proposals.list(parts, { dao: params.dao, limit: 1000 }))
})
