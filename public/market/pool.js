/* global location, document */

import { checkDays, checkMarks, checkPool, checkSupply, checkTicker, checkTreasury } from './contract.js'
import { Failure, get, listen, poll } from './api.js'
import { createBanner } from './banner.js'
import { createCandles } from './candles.js'
import { tellDefinitions } from './definition.js'
import { addressButton, byId, renew, setText } from './dom.js'
import { drawAddresses, drawChanges, drawFigures, drawRanges, drawSides } from './figures.js'
import { abbreviate, formatChange, formatExact, formatPrice, NONE, signOf } from './format.js'
import { showDecisions } from './pool-decisions.js'
import { drawSupply } from './supply.js'
import { badgesOf, fullNameOf, nameOf, pairTitle, quoteOf, tokenDisc } from './tokens.js'
import { createTrades } from './trades.js'
import { drawVerification } from './verify.js'
import { createView } from './view.js'

/** The page of one pool: its price over time, its trades, and every figure with where it comes from. */

const POOL_EVERY = 15_000
const SUPPLY_EVERY = 60_000
const DAYS_EVERY = 300_000
const SOON = 300
const DAY = 86_400_000
/** Days that the ranges look back over, and one more for what came before. */
const DAYS = 32

const poolId = decodeURIComponent(location.pathname.split('/').at(-1))
const path = `api/pools/${encodeURIComponent(poolId)}`

/** What is known so far; each part is drawn when what it is made of is there. */
const known = { pool: null, ticker: null, supply: null, days: null, treasury: null, marks: null }

const banner = createBanner()
const candles = createCandles({ path, banner })
const trades = createTrades({ path, banner })

function drawHeadline ({ pool, marks }) {
  byId('pool-disc').replaceWith(Object.assign(tokenDisc(pool.base), { id: 'pool-disc' }))
  renew(byId('pool-title'), ...pairTitle(pool))
  setText(byId('pool-name'), fullNameOf(pool.base))
  const { mint } = pool.base
  renew(byId('pool-mint'), addressButton(mint, 'token mint', abbreviate(mint)))
  renew(byId('pool-badges'), ...badgesOf(pool, marks ?? []))
  const price = byId('price')
  setText(price, formatPrice(pool.last_price))
  price.title = formatExact(pool.last_price)
  setText(byId('price-unit'), quoteOf(pool))
  const change = byId('change')
  setText(change, formatChange(pool.price_change_24h))
  change.dataset.sign = signOf(pool.price_change_24h)
  document.title = `${nameOf(pool)} ${formatPrice(pool.last_price)} ${quoteOf(pool)} · DAO Market Data`
}

function drawKnown () {
  if (known.pool === null) return
  renew(byId('changes'), ...drawChanges(known.pool))
  renew(byId('side-rows'), ...drawSides(known.pool))
  renew(byId('figures'), ...drawFigures(known))
  for (const unit of document.querySelectorAll('.quote-unit')) setText(unit, `, ${quoteOf(known.pool)}`)
  renew(byId('range-rows'), ...drawRanges(known))
}

/** Bid and ask stand with the tickers, of which a pair's deepest is the one that answers to its name. */
async function loadQuotes ({ ticker_id: id, pool_id: wanted }) {
  const { data: deepest } = await get(`api/tickers/${encodeURIComponent(id)}`, checkTicker)
  if (deepest.pool_id === wanted) return deepest
  const { data: all } = await get('api/tickers', body => body.map(checkTicker))
  return all.find(({ pool_id: pool }) => pool === wanted) ?? null
}

/** Figures that are told beside others: without them there is a dash. */
async function beside (load) {
  try {
    return await load()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return null
  }
}

const showSupply = createView({
  id: 'supply',
  banner,
  loaded: () => 'Supply loaded',
  draw (supply) {
    known.supply = supply
    candles.supply(supply.circulatingSupply)
    renew(byId('supply-body'), ...drawSupply(supply, known.pool))
    drawKnown()
  },
  unknown () { byId('supply-body').replaceChildren() }
})

let due

/** What changed is read a moment later: a trade and the ticker that it changes come together. */
function refreshSoon () {
  due ??= setTimeout(() => {
    due = undefined
    pools.refresh()
  }, SOON)
}

/** What can only be asked for once the pool has said what it is a pool of. */
function follow (pool) {
  const decisions = showDecisions(pool, banner)
  listen({
    query: `pools=${encodeURIComponent(poolId)}`,
    on: {
      trade (trade) {
        trades.told(trade)
        refreshSoon()
      },
      ticker: refreshSoon,
      proposal: decisions.refresh
    }
  })
  candles.start(pool)
  trades.start(pool)
  poll({
    path: `api/supply/${encodeURIComponent(pool.base.mint)}`,
    check: checkSupply,
    interval: SUPPLY_EVERY,
    show: showSupply
  })
  const from = new Date(Date.now() - DAYS * DAY).toISOString().slice(0, 10)
  for (const [name, asked, check, interval] of [
    ['treasury', `api/daos/${encodeURIComponent(poolId)}/treasury`, checkTreasury, SUPPLY_EVERY],
    ['days', `${path}/days?from=${from}`, checkDays, DAYS_EVERY]
  ]) {
    poll({
      path: asked,
      check,
      interval,
      // beside figures that are new nobody would see that these are not: there is a dash, or the banner says how old
      show (answer, failure, retry) {
        known[name] = failure === null ? answer.data : null
        banner.report(name, failure === null ? answer : null, null, retry)
        drawKnown()
      }
    })
  }
  poll({
    path: `market/marks/${encodeURIComponent(poolId)}`,
    check: checkMarks,
    interval: DAYS_EVERY,
    show (answer) {
      known.marks = answer?.data ?? null
      drawHeadline(known)
    }
  })
}

const showPool = createView({
  id: 'summary',
  banner,
  loaded: pool => `${nameOf(pool)} loaded`,
  draw (pool) {
    const first = known.pool === null
    known.pool = pool
    drawHeadline(known)
    drawKnown()
    renew(byId('addresses'), ...drawAddresses(pool))
    renew(byId('verify'), ...drawVerification(pool))
    if (first) follow(pool)
    else candles.told(pool)
    beside(() => loadQuotes(pool)).then(ticker => {
      known.ticker = ticker
      drawKnown()
    })
  },
  unknown () {
    for (const id of ['price', 'change']) setText(byId(id), NONE)
  }
})

tellDefinitions()
const pools = poll({ path, check: checkPool, interval: POOL_EVERY, show: showPool })
