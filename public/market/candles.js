/* global document, getComputedStyle, history, location, matchMedia, MutationObserver, URLSearchParams */

import { Failure, get, poll } from './api.js'
import { checkCandles } from './contract.js'
import { asTheyAre, downloadCsv } from './csv.js'
import { compare, magnitude, multiply, percent, shift, subtract } from './decimal.js'
import { byId, element, setText } from './dom.js'
import {
  formatAmount, formatChange, formatCompact, formatCount, formatExact, formatMoment, formatNumber, formatPrice
} from './format.js'
import { failureNotice } from './notice.js'
import { nameOf, quoteOf } from './tokens.js'
import { createView } from './view.js'

/**
 * Candles of a pool with their volume: read by pointer, by keyboard and as a table. Only where they are drawn is worked
 * out in numbers.
 */

/** Candles asked for at once, and how often the newest one is asked for again, ms. */
const COUNT = 200
const EVERY = 15_000
/** Older ones are asked for where fewer than this are left of what is in sight; no more than so many are kept. */
const LEFT = 20
const MOST = 3_000
/** Candles in sight at first; the rest is a drag away. */
const IN_SIGHT = { wide: 120, narrow: 48 }
const NARROW = 600
const MS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 }
const PRICES = ['open', 'high', 'low', 'close']
const COLUMNS = {
  time: candle => new Date(candle.time * 1000).toISOString(),
  ...asTheyAre(...PRICES, 'base_volume', 'target_volume', 'trades')
}
/** Drawn prices are of this size whatever the token's: the library's steps are made for it. */
const DRAWN_DIGITS = 8
/** A price that moves by less than this share is drawn on an axis of so much: labels of five digits differ. */
const FLAT = 0.005
/** The shortest candles of which a pool so old, ms, has enough in sight; longer ones where it seldom trades. */
const YOUNG = [['1m', 3 * 3_600_000], ['15m', 2 * 86_400_000]]
const SELDOM = 12

const COLOURS = ['quiet', 'line', 'line-strong', 'up', 'down', 'up-soft', 'down-soft', 'label']
/** Colours of the style sheet as the canvas wants them. */
function colours () {
  const probe = element('span', { class: 'probe', hidden: '' })
  document.body.append(probe)
  const found = COLOURS.map(name => {
    probe.style.color = `var(--${name})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(found)
}

const isUp = ({ open, close }) => compare(close, open) >= 0

/**
 * A chart of the library in `place`, which knows nothing of texts: prices are scaled by `scale` powers of ten before
 * they are drawn. `onPoint` is told the time that is pointed at, if any, and `onOldest` when what is in sight comes
 * close to the oldest candle.
 */
async function createDrawing (place, { onPoint, onOldest }) {
  const { createChart, CandlestickSeries, HistogramSeries, LineSeries, CrosshairMode, PriceScaleMode } =
    await import('./lightweight-charts.js')
  let scale = 0
  const text = value => formatPrice(shift(value.toFixed(DRAWN_DIGITS), scale))
  const chart = createChart(place, {
    autoSize: true,
    layout: {
      attributionLogo: false,
      background: { color: 'transparent' },
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 12
    },
    crosshair: { mode: CrosshairMode.Normal },
    localization: { locale: 'en-GB', priceFormatter: text },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true, secondsVisible: false, rightOffset: 3 },
    kineticScroll: { touch: !matchMedia('(prefers-reduced-motion: reduce)').matches },
    handleScroll: { vertTouchDrag: false, mouseWheel: false }
  })
  // the wheel scrolls the page; with Ctrl, as a pinch on a touchpad sends it, it zooms
  place.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
  }, { capture: true })
  const shared = {
    lastValueVisible: false,
    priceLineVisible: false,
    priceFormat: { type: 'custom', minMove: 10 ** -DRAWN_DIGITS, formatter: text },
    autoscaleInfoProvider (original) {
      const info = original()
      if (info === null) return null
      const { minValue: least, maxValue: most } = info.priceRange
      const room = Math.max(0, most * FLAT - (most - least)) / 2
      return { ...info, priceRange: { minValue: least - room, maxValue: most + room } }
    }
  }
  const prices = chart.addSeries(CandlestickSeries, { ...shared, borderVisible: false })
  const line = chart.addSeries(LineSeries, { ...shared, lineWidth: 2, visible: false })
  const [pooled, last] = ['pool price', 'last trade'].map(
    title => [prices, line].map(series => series.createPriceLine({ price: 0, title, lineWidth: 1 }))
  )
  const move = (lines, options) => { for (const one of lines) one.applyOptions(options) }
  const volumes = chart.addSeries(
    HistogramSeries,
    { priceScaleId: 'volume', priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false }
  )
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } })
  prices.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 0.22 } })
  // a drawing says nothing by itself: the slider, the readout and the table do
  place.querySelector('.tv-lightweight-charts')?.setAttribute('aria-hidden', 'true')
  let palette
  let candles = []
  let options = { line: false, log: false, joined: true, cap: false }
  let price = '0'

  function paint () {
    palette = colours()
    const { quiet, line: grid, 'line-strong': strong, up, down, label } = palette
    const cross = { color: strong, labelBackgroundColor: label }
    chart.applyOptions({
      layout: { textColor: quiet },
      grid: { vertLines: { color: grid }, horzLines: { color: grid } },
      crosshair: { vertLine: cross, horzLine: cross }
    })
    prices.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    line.applyOptions({ color: up })
    move(pooled, { color: strong, axisLabelColor: label })
    draw(candles)
  }

  /** The pool's price from now on. */
  function mark (next) {
    price = next
    move(pooled, { price: Number(shift(price, -scale)) })
  }

  function draw (next, chosen = options) {
    // what was scaled by hand is of another size
    const resized = chosen.cap !== options.cap && { autoScale: true }
    candles = next
    options = chosen
    prices.applyOptions({ visible: !options.line })
    line.applyOptions({ visible: options.line })
    prices.priceScale().applyOptions(
      { mode: options.log ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal, ...resized }
    )
    scale = magnitude(next.at(-1)?.close) ?? 0
    const number = value => Number(shift(value, -scale))
    mark(price)
    const newest = next.at(-1)
    if (newest !== undefined) {
      move(last, { price: number(newest.close), color: palette[isUp(newest) ? 'up' : 'down'] })
    }
    prices.setData(next.map((candle, index) => {
      // joined, a candle opens where the one before closed: a setting of the drawing, not of the data
      const open = number(options.joined && index > 0 ? next[index - 1].close : candle.open)
      return {
        time: candle.time,
        open,
        high: Math.max(open, number(candle.high)),
        low: Math.min(open, number(candle.low)),
        close: number(candle.close)
      }
    }))
    line.setData(next.map(candle => ({ time: candle.time, value: number(candle.close) })))
    volumes.setData(next.map(candle => ({
      time: candle.time, value: Number(candle.target_volume), color: palette[isUp(candle) ? 'up-soft' : 'down-soft']
    })))
  }

  paint()
  chart.subscribeCrosshairMove(({ time }) => onPoint(time))
  chart.timeScale().subscribeVisibleLogicalRangeChange(range => { if (range?.from < LEFT) onOldest() })
  new MutationObserver(paint).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)

  return {
    draw,
    mark,
    /** Shows the newest candles. */
    reset (count) {
      chart.timeScale().setVisibleLogicalRange({ from: candles.length - count, to: candles.length + 3 })
    },
    point (index) {
      if (index === null) chart.clearCrosshairPosition()
      else chart.setCrosshairPosition(prices.data()[index].close, candles[index].time, prices)
    }
  }
}

export function createCandles ({ path, banner }) {
  const slider = byId('candle')
  const place = byId('candle-chart')
  const details = byId('candle-details')
  const radios = [...document.querySelectorAll('input[name=interval]')]
  let pool = null
  /** As they are served, and as they are shown: by price, or by market cap. */
  let candles = []
  let shown = []
  let supply = null
  let drawing = null
  let running = null
  /** Of the candles that are shown, and the one that was asked for last; `fresh`: its first answer has not come. */
  let interval = '1h'
  let asked = interval
  let fresh = true
  let older = { isWhole: true, running: false, due: 0 }

  const wanted = new URLSearchParams(location.search).get('interval')
  for (const radio of radios) if (radio.value === wanted) radio.checked = true

  const boxes = [...document.querySelectorAll('#chart-options input')]
  /** There is no market cap before the supply is known. */
  const chosen = () => Object.fromEntries(
    boxes.map(({ name, checked }) => [name, checked && (name !== 'cap' || supply !== null)])
  )
  /** A price as it is shown: a market cap is that of the tokens that circulate now. */
  const worth = text => chosen().cap ? multiply(text, supply) : text
  for (const box of boxes) box.addEventListener('change', () => show(candles))
  const whole = byId('candles-whole')
  whole.hidden = document.fullscreenEnabled !== true
  whole.addEventListener('click', () => document.fullscreenElement === null
    ? byId('candles').requestFullscreen()
    : document.exitFullscreen())

  /** What a pool has enough of to be worth looking at. */
  function sensibleInterval ({ created_at: at, startDate: day, trades_24h: trades }) {
    const age = Date.now() - Date.parse(at ?? day ?? '')
    const young = YOUNG.find(([, most]) => age < most)
    return young?.[0] ?? (trades !== null && trades < SELDOM ? '4h' : '1h')
  }

  const part = (label, text, exact, className) => element(
    'div', { class: className }, element('dt', {}, label), element('dd', { title: exact }, text)
  )

  /** What a candle says, or the newest one where none is pointed at. */
  function read (index) {
    const candle = shown[index ?? shown.length - 1]
    if (candle === undefined) return byId('candle-readout').replaceChildren()
    const change = percent(subtract(candle.close, candle.open), candle.open)
    byId('candle-readout').replaceChildren(
      part('Start', formatMoment(candle.time * 1000), undefined, 'when'),
      ...[['O', 'open'], ['H', 'high'], ['L', 'low'], ['C', 'close']].map(
        ([label, field]) => part(label, formatPrice(candle[field]), formatExact(candle[field]))
      ),
      part('Change', formatChange(change), undefined, `change ${isUp(candle) ? 'rise' : 'fall'}`),
      part('Volume', `${formatCompact(candle.target_volume)} ${quoteOf(pool)}`, formatExact(candle.target_volume)),
      part('Trades', formatNumber(candle.trades)))
    slider.setAttribute(
      'aria-valuetext',
      `${formatMoment(candle.time * 1000)}: open ${formatPrice(candle.open)}, high ${formatPrice(candle.high)}, ` +
        `low ${formatPrice(candle.low)}, close ${formatPrice(candle.close)} ${quoteOf(pool)}, ` +
          `volume ${formatAmount(candle.target_volume)}, ${formatCount(candle.trades, 'trade')}`
    )
  }

  function fillTable () {
    if (!details.open) return
    byId('candle-rows').replaceChildren(...shown.toReversed().map(candle => element('tr', {},
      element('th', { scope: 'row' }, element('time', { datetime: new Date(candle.time * 1000).toISOString() },
        formatMoment(candle.time * 1000).replace(' UTC', ''))),
      ...PRICES.map(field => element('td', { title: formatExact(candle[field]) }, formatPrice(candle[field]))),
      element('td', { title: formatExact(candle.target_volume) }, formatAmount(candle.target_volume)),
      element('td', {}, formatNumber(candle.trades)))))
  }

  /** `isNew`: of an interval that was not shown before. */
  async function draw (next, isNew) {
    const value = Number(slider.value)
    const atNewest = isNew || value >= candles.length - 1
    const [first] = next
    // what has been loaded of the past goes on where the new ones begin, or begins anew
    const past = isNew || first === undefined ? [] : candles.filter(({ time }) => time < first.time)
    const joins = past.length > 0 && past.at(-1).time + MS[interval] / 1000 === first.time
    const pointed = candles[value]?.time
    candles = joins ? [...past, ...next] : next
    shown = candles.map(candle => (
      { ...candle, ...Object.fromEntries(PRICES.map(field => [field, worth(candle[field])])) }
    ))
    slider.max = String(Math.max(0, candles.length - 1))
    slider.value = atNewest ? slider.max : String(candles.findIndex(({ time }) => time === pointed))
    byId('no-candles').hidden = candles.length > 0
    const { cap } = chosen()
    setText(byId('candles-heading'), cap ? 'Market cap' : 'Price')
    setText(byId('candle-range'), candles.length === 0
      ? ''
      : `${formatMoment(candles[0].time * 1000)} to ${formatMoment(candles.at(-1).time * 1000 + MS[interval])}, ` +
        (cap
          ? `price × the supply that circulates now (${formatAmount(supply)} ${nameOf(pool)}), in ${quoteOf(pool)}`
          : `in ${quoteOf(pool)} per ${nameOf(pool)}`) + `; volume in ${quoteOf(pool)}.`)
    read(document.activeElement === slider ? Number(slider.value) : null)
    fillTable()
    drawing ??= createDrawing(place, {
      onPoint (time) { read(time === undefined ? null : candles.findIndex(candle => candle.time === time)) },
      onOldest: loadOlder
    })
    const made = await drawing
    made.draw(shown, chosen())
    made.mark(worth(pool.last_price))
    if (isNew) made.reset(place.clientWidth < NARROW ? IN_SIGHT.narrow : IN_SIGHT.wide)
  }

  /** Asks for the candles before the oldest; what is in sight stays where it is. */
  async function loadOlder () {
    const now = older
    if (now.isWhole || now.running || candles.length >= MOST || Date.now() < now.due) return
    now.running = true
    try {
      const to = candles[0].time - 1
      const { data } = await get(
        `${path}/ohlcv?interval=${interval}&to=${to}&limit=${COUNT}&empty=true`, checkCandles
      )
      // another interval has been chosen meanwhile
      if (now !== older) return
      now.isWhole = data.length < COUNT
      await show([...data, ...candles])
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      now.due = error.retryAt ?? Date.now() + EVERY
      if (now === older) {
        byId('candles-state').replaceChildren(failureNotice(error, () => {
          now.due = 0
          loadOlder()
        }, 'The older candles could not be loaded.'))
      }
    } finally {
      now.running = false
    }
  }

  const show = (next, isNew = false) => draw(next, isNew).catch(() => {
    drawing = null
    byId('candles-state').replaceChildren(failureNotice(
      { kind: 'error', message: 'The chart could not be loaded; the table below has the same.' },
      () => show(candles, isNew)
    ))
  })

  const answered = createView({
    id: 'candles',
    banner,
    loaded: next => `${formatCount(next.length, 'candle')} loaded`,
    draw (next) {
      const isNew = fresh
      if (isNew) older = { isWhole: next.length < COUNT, running: false, due: 0 }
      interval = asked
      fresh = false
      show(next, isNew)
    }
  })

  function ask () {
    running?.stop()
    asked = radios.find(({ checked }) => checked).value
    fresh = true
    older = { ...older, isWhole: true }
    running = poll({
      path: `${path}/ohlcv?interval=${asked}&limit=${COUNT}&empty=true`,
      check: checkCandles,
      interval: EVERY,
      show: answered
    })
  }

  for (const radio of radios) {
    radio.addEventListener('change', () => {
      history.replaceState(null, '', `${location.pathname}?interval=${radio.value}${location.hash}`)
      byId('candles').setAttribute('aria-busy', 'true')
      ask()
    })
  }
  const byKey = async () => {
    read(Number(slider.value))
    if (drawing !== null && candles.length > 0) (await drawing).point(Number(slider.value))
    if (slider.value === '0') loadOlder()
  }
  slider.addEventListener('input', byKey)
  slider.addEventListener('focus', byKey)
  slider.addEventListener('blur', async () => {
    read(null)
    if (drawing !== null) (await drawing).point(null)
  })
  details.addEventListener('toggle', fillTable)
  byId('candles-csv').addEventListener('click', () => downloadCsv(
    `${chosen().cap ? 'market-cap' : 'candles'}-${nameOf(pool)}-${quoteOf(pool)}-${interval}`, COLUMNS, shown
  ))

  return {
    start (of) {
      pool = of
      if (radios.every(({ value }) => value !== wanted)) {
        const sensible = sensibleInterval(pool)
        for (const radio of radios) radio.checked = radio.value === sensible
      }
      ask()
    },
    /** Takes what the pool says now. */
    async told (of) {
      pool = of
      const made = await drawing
      made?.mark(worth(pool.last_price))
    },
    /** Takes how many tokens circulate: only then there is a market cap. */
    supply (circulating) {
      const before = supply
      supply = compare(circulating, '0') > 0 ? circulating : null
      byId('by-cap').disabled = supply === null
      if (supply !== before && byId('by-cap').checked) show(candles)
    }
  }
}
