/* global document, getComputedStyle, history, location, matchMedia, MutationObserver, URLSearchParams */

import { poll } from './api.js'
import { checkCandles } from './contract.js'
import { downloadCsv } from './csv.js'
import { compare, magnitude, percent, shift, subtract } from './decimal.js'
import { byId, element, setText } from './dom.js'
import { formatAmount, formatChange, formatCount, formatExact, formatMoment, formatPrice } from './format.js'
import { failureNotice } from './notice.js'
import { nameOf, quoteOf } from './tokens.js'
import { createView } from './view.js'

/**
 * Candles of a pool with their volume: read by pointer, by keyboard and as a table. Only where they are drawn is worked
 * out in numbers.
 */

/** Candles asked for, and how often the newest one is asked for again, ms. */
const COUNT = 500
const EVERY = 15_000
/** Candles in sight at first; the rest is a drag away. */
const IN_SIGHT = { wide: 120, narrow: 48 }
const NARROW = 600
const MS = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 }
const COLUMNS = {
  time: candle => new Date(candle.time * 1000).toISOString(),
  ...Object.fromEntries([
    'open', 'high', 'low', 'close', 'base_volume', 'target_volume', 'trades'
  ].map(field => [field, candle => candle[field]]))
}
/** Drawn prices are of this size whatever the token's: the library's steps are made for it. */
const DRAWN_DIGITS = 8

/** Colours of the style sheet as the canvas wants them. */
function colours () {
  const probe = element('span', { hidden: '' })
  document.body.append(probe)
  const read = name => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const all = {
    ink: read('ink'),
    quiet: read('quiet'),
    line: read('line'),
    strong: read('line-strong'),
    up: read('up'),
    down: read('down'),
    upSoft: read('up-soft'),
    downSoft: read('down-soft'),
    label: read('label')
  }
  probe.remove()
  return all
}

const isUp = ({ open, close }) => compare(close, open) >= 0

/**
 * A chart of the library in `place`, which knows nothing of texts: prices are scaled by `scale` powers of ten before
 * they are drawn.
 */
async function createDrawing (place) {
  const { createChart, CandlestickSeries, HistogramSeries, CrosshairMode } = await import('./lightweight-charts.js')
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
    kineticScroll: { touch: !matchMedia('(prefers-reduced-motion: reduce)').matches, mouse: false },
    handleScroll: { vertTouchDrag: false, mouseWheel: false, pressedMouseMove: true, horzTouchDrag: true },
    handleScale: { mouseWheel: false, pinch: true, axisPressedMouseMove: true }
  })
  const prices = chart.addSeries(
    CandlestickSeries,
    { borderVisible: false, priceFormat: { type: 'custom', minMove: 10 ** -DRAWN_DIGITS, formatter: text } }
  )
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

  function paint () {
    palette = colours()
    chart.applyOptions({
      layout: { textColor: palette.quiet },
      grid: { vertLines: { color: palette.line }, horzLines: { color: palette.line } },
      crosshair: {
        vertLine: { color: palette.strong, labelBackgroundColor: palette.label },
        horzLine: { color: palette.strong, labelBackgroundColor: palette.label }
      }
    })
    prices.applyOptions(
      { upColor: palette.up, downColor: palette.down, wickUpColor: palette.up, wickDownColor: palette.down }
    )
    draw(candles)
  }

  function draw (next) {
    candles = next
    scale = magnitude(next.at(-1)?.close) ?? 0
    const number = value => Number(shift(value, -scale))
    prices.setData(next.map(candle => ({
      time: candle.time,
      open: number(candle.open),
      high: number(candle.high),
      low: number(candle.low),
      close: number(candle.close)
    })))
    volumes.setData(next.map(candle => ({
      time: candle.time, value: Number(candle.target_volume), color: isUp(candle) ? palette.upSoft : palette.downSoft
    })))
  }

  paint()
  new MutationObserver(paint).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint)

  return {
    draw,
    /** Shows the newest candles. */
    reset (count) {
      chart.timeScale().setVisibleLogicalRange(
        { from: candles.length - count, to: candles.length + 3 }
      )
    },
    point (index) {
      if (index === null) chart.clearCrosshairPosition()
      else chart.setCrosshairPosition(prices.data()[index].close, candles[index].time, prices)
    },
    onPoint (listener) { chart.subscribeCrosshairMove(({ time }) => listener(time ?? null)) }
  }
}

export function createCandles ({ path, banner }) {
  const slider = byId('candle')
  const place = byId('candle-chart')
  const details = byId('candle-details')
  const radios = [...document.querySelectorAll('input[name=interval]')]
  let pool = null
  let candles = []
  let drawing = null
  let running = null
  let interval = '1h'
  let fresh = true

  const wanted = new URLSearchParams(location.search).get('interval')
  for (const radio of radios) if (radio.value === wanted) radio.checked = true

  const part = (label, text, exact, className) => element(
    'div', { class: className }, element('dt', {}, label), element('dd', { title: exact }, text)
  )

  /** What a candle says, or the newest one where none is pointed at. */
  function read (index) {
    const candle = candles[index ?? candles.length - 1]
    if (candle === undefined) return byId('candle-readout').replaceChildren()
    const change = percent(subtract(candle.close, candle.open), candle.open)
    byId('candle-readout').replaceChildren(
      part('Start', formatMoment(candle.time * 1000), undefined, 'when'),
      ...[['O', 'open'], ['H', 'high'], ['L', 'low'], ['C', 'close']].map(
        ([label, field]) => part(label, formatPrice(candle[field]), formatExact(candle[field]))
      ),
      part('Change', formatChange(change), undefined, `change ${isUp(candle) ? 'rise' : 'fall'}`),
      part('Volume', `${formatAmount(candle.target_volume)} ${quoteOf(pool)}`, formatExact(candle.target_volume)),
      part('Trades', candle.trades.toLocaleString('en')))
    slider.setAttribute(
      'aria-valuetext',
      `${formatMoment(candle.time * 1000)}: open ${formatPrice(candle.open)}, high ${formatPrice(candle.high)}, ` +
        `low ${formatPrice(candle.low)}, close ${formatPrice(candle.close)} ${quoteOf(pool)}, ` +
          `volume ${formatAmount(candle.target_volume)}, ${formatCount(candle.trades, 'trade')}`
    )
  }

  function fillTable () {
    if (!details.open) return
    byId('candle-rows').replaceChildren(...candles.toReversed().map(candle => element('tr', {},
      element('th', { scope: 'row' }, element(
        'time',
        { datetime: new Date(candle.time * 1000).toISOString() },
        formatMoment(candle.time * 1000).replace(' UTC', '')
      )),
      ...['open', 'high', 'low', 'close'].map(
        field => element('td', { title: formatExact(candle[field]) }, formatPrice(candle[field]))
      ),
      element('td', { title: formatExact(candle.target_volume) }, formatAmount(candle.target_volume)),
      element('td', {}, candle.trades.toLocaleString('en')))))
  }

  async function draw (next) {
    const atNewest = Number(slider.value) >= candles.length - 1
    candles = next
    slider.max = String(Math.max(0, candles.length - 1))
    if (fresh || atNewest) slider.value = slider.max
    byId('no-candles').hidden = candles.length > 0
    setText(byId('candle-range'), candles.length === 0
      ? ''
      : `${formatMoment(candles[0].time * 1000)} to ${formatMoment(candles.at(-1).time * 1000 + MS[interval])}, ` +
        `in ${quoteOf(pool)} per ${nameOf(pool)}; volume in ${quoteOf(pool)}.`)
    read(document.activeElement === slider ? Number(slider.value) : null)
    fillTable()
    if (drawing === null) {
      drawing = createDrawing(place).then(made => {
        made.onPoint(time => read(time === null ? null : candles.findIndex(candle => candle.time === time)))
        return made
      })
    }
    const reset = fresh
    fresh = false
    const made = await drawing
    made.draw(candles)
    if (reset) made.reset(place.clientWidth < NARROW ? IN_SIGHT.narrow : IN_SIGHT.wide)
  }

  const show = createView({
    id: 'candles',
    banner,
    loaded: next => `${formatCount(next.length, 'candle')} loaded`,
    draw (next) {
      draw(next).catch(() => {
        drawing = null
        byId('candles-state').replaceChildren(failureNotice(
          { kind: 'error', message: 'The chart could not be loaded; the table below has the same.' },
          () => draw(candles)
        ))
      })
    }
  })

  function ask () {
    running?.stop()
    interval = radios.find(({ checked }) => checked).value
    fresh = true
    running = poll({
      path: `${path}/ohlcv?interval=${interval}&limit=${COUNT}&empty=true`, check: checkCandles, interval: EVERY, show
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
  }
  slider.addEventListener('input', byKey)
  slider.addEventListener('focus', byKey)
  slider.addEventListener('blur', async () => {
    read(null)
    if (drawing !== null) (await drawing).point(null)
  })
  details.addEventListener('toggle', fillTable)
  byId('candles-csv').addEventListener(
    'click', () => downloadCsv(`candles-${nameOf(pool)}-${quoteOf(pool)}-${interval}`, COLUMNS, candles)
  )

  return {
    start (of) {
      pool = of
      ask()
    }
  }
}
