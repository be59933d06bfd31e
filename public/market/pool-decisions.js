import { Failure, get, poll } from './api.js'
import { checkCandles, checkProposal, checkProposals } from './contract.js'
import { drawDecision, drawEnded, drawMarkets, isLive } from './decision.js'
import { byId, element, renew, setText } from './dom.js'
import { quoteOf } from './tokens.js'

/** The decisions of one DAO: the live one with its markets over time, and those that have ended. */

const EVERY = 30_000
/** The longest proposals last some days. */
const CANDLES = 1_000

const candlesOf = async (path, market) =>
  (await get(`${path}/ohlcv?market=${market}&interval=1h&limit=${CANDLES}`, checkCandles)).data

async function drawLive (pool, { proposal: id }, tell) {
  const path = `api/proposals/${encodeURIComponent(id)}`
  const answer = await get(path, checkProposal)
  const { data: proposal } = answer
  tell(answer)
  const [pass, fail] = await Promise.all([candlesOf(path, 'pass'), candlesOf(path, 'fail')])
  const { ends_at: end, as_of: now } = proposal
  const from = Date.parse(proposal.launched_at ?? proposal.created_at) / 1000
  const chart = drawMarkets({ pass, fail }, from, Math.min(Date.parse(now ?? end), Date.parse(end)) / 1000)
  return [
    element('h3', {}, `No. ${proposal.number}, being decided`), drawDecision(proposal, quoteOf(pool)),
    ...chart === undefined ? [] : [chart]
  ]
}

/** Begins to show them; gives what asks anew. */
export function showDecisions (pool, banner) {
  const tell = answer => banner.report('decisions', answer, null, () => polled.refresh())

  async function draw (proposals) {
    const live = proposals.find(isLive)
    const past = proposals.filter(({ finalized_at: at }) => at !== null)
    byId('decisions').dataset.live = live !== undefined ? 'yes' : past.length > 0 ? 'past' : 'no'
    if (live === undefined) tell(null)
    const drawn = live === undefined ? [] : await drawLive(pool, live, tell)
    renew(byId('live-decision'), ...drawn)
    renew(byId('past-decisions'), ...past.map(one => drawEnded(one)))
  }

  const polled = poll({
    path: `api/proposals?dao=${encodeURIComponent(pool.pool_id)}`,
    check: checkProposals,
    interval: EVERY,
    show (answer, failure) {
      // what is shown stays, and says so
      setText(byId('decisions-note'), failure === null ? '' : 'Could not be read just now; shown as last seen.')
      if (answer === null || failure !== null) return
      draw(answer.data).catch(error => {
        if (!(error instanceof Failure)) throw error
        setText(byId('decisions-note'), error.message)
      })
    }
  })
  return polled
}
