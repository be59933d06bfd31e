import { get, poll } from './api.js'
import { createBanner } from './banner.js'
import { checkList, checkProposal, checkProposals } from './contract.js'
import { drawDecision, drawEnded, isLive } from './decision.js'
import { announce, byId, element, foreign, renew, setText } from './dom.js'
import { abbreviate, formatCount } from './format.js'
import { nameOf, quoteOf } from './tokens.js'
import { createView, loadMore } from './view.js'

/** Every decision of every DAO: the live ones with what is compared, the others with what came of them. */

const EVERY = 30_000
const NAMES_EVERY = 300_000
const PAGE = 200
const PATH = `api/proposals?limit=${PAGE}`
/** More than anybody reads; what is older goes on being one address away. */
const MOST = 5_000
/** Live ones whose markets are asked for; a page has a budget of requests. */
const FOLLOWED = 12

const banner = createBanner()
const live = new Map()
let pools = new Map()
let known = []
const more = byId('more')

/** The DAO's token, which leads to its page where it is listed. */
function daoName ({ dao }) {
  const pool = pools.get(dao)
  return pool === undefined
    ? element('span', { title: dao }, abbreviate(dao))
    : element('a', { class: 'symbol', href: `pool/${encodeURIComponent(dao)}`, title: dao }, foreign(nameOf(pool)))
}

function draw () {
  const deciding = known.filter(isLive)
  const past = known.filter(({ finalized_at: at }) => at !== null)
  setText(byId('live-count'), deciding.length === 0 ? '' : String(deciding.length))
  byId('no-live').hidden = deciding.length > 0
  byId('no-past').hidden = past.length > 0
  renew(byId('live'), ...deciding.map(proposal => {
    const whole = live.get(proposal.proposal)?.data ?? { ...proposal, pass: null, fail: null }
    const pool = pools.get(proposal.dao)
    return element('li', {}, element('h3', {}, daoName(proposal), ` No. ${proposal.number}`),
      drawDecision(whole, pool === undefined ? '' : quoteOf(pool)))
  }))
  renew(byId('past'), ...past.map(proposal => drawEnded(proposal, daoName(proposal))))
}

function follow (deciding) {
  const wanted = new Set(deciding.slice(0, FOLLOWED).map(({ proposal }) => proposal))
  for (const [id, { stop }] of live) {
    if (wanted.has(id)) continue
    stop()
    banner.report(id, null, null)
    live.delete(id)
  }
  for (const id of wanted) {
    if (live.has(id)) continue
    const entry = {
      data: undefined,
      stop: poll({
        path: `api/proposals/${encodeURIComponent(id)}`,
        check: checkProposal,
        interval: EVERY,
        show (answer, failure, retry) {
          banner.report(id, answer, failure, retry)
          if (answer === null || failure !== null) return
          entry.data = answer.data
          draw()
        }
      }).stop
    }
    live.set(id, entry)
  }
}

/** `first` and then what it lacks of `second`. */
function joined (first, second) {
  const given = new Set(first.map(({ proposal }) => proposal))
  return [...first, ...second.filter(({ proposal }) => !given.has(proposal))]
}

const show = createView({
  id: 'decisions',
  banner,
  loaded: proposals => `${formatCount(proposals.length, 'proposal')} loaded`,
  draw (proposals) {
    if (known.length === 0) more.hidden = proposals.length < PAGE
    known = proposals.length < PAGE ? proposals : joined(proposals, known)
    follow(proposals.filter(isLive))
    draw()
  }
})

loadMore(more, byId('more-state'), async () => {
  const { data } = await get(`${PATH}&before=${known.at(-1).proposal}`, checkProposals)
  known = joined(known, data)
  more.hidden = data.length < PAGE || known.length >= MOST
  announce(`${formatCount(data.length, 'earlier proposal')} loaded`)
  draw()
})

poll({ path: PATH, check: checkProposals, interval: EVERY, show })
// without the names their addresses stand for them
poll({
  path: 'market/pools?all=true',
  check: checkList,
  interval: NAMES_EVERY,
  show (answer) {
    if (answer === null) return
    pools = new Map(answer.data.pools.map(pool => [pool.pool_id, pool]))
    draw()
  }
})
