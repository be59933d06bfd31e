/* global document, ResizeObserver */

import { compare, sum } from './decimal.js'
import { formatCount, formatDay, formatMonth, formatNumber, formatShort, formatShortDay, formatUsd } from './format.js'
import { byId, element, setText, svg } from './dom.js'

/**
 * Volume per day: bars, or an outline where there are more days than pixels for bars; each day can be read by pointer
 * and by keyboard.
 */

const DAY = 86_400_000
const HEIGHT = 240
/** Room around the bars, px; the style sheet knows the sides too. */
const MARGIN = { top: 12, right: 4, bottom: 28, left: 58 }
/** Below this width of a day, px, bars become an outline. */
const LEAST_BAR = 3
const MOST_BAR_GAP = 3
/** Room that a label of the time axis takes, px. */
const LABEL = 84
const TICKS = 4
const TICK_STEPS = [1, 2, 2.5, 5, 10]
/** From so many days on, the axis names months. */
const MONTHS_FROM = 200
/** Days that a month has at the least. */
const MONTH = 28

const indexOf = date => Math.round(Date.parse(date) / DAY)
const isToday = date => date === new Date().toISOString().slice(0, 10)

/** The steps of the value axis: round figures, the last at or above `most`. */
export function ticksFor (most) {
  if (!(most > 0)) return [0, 1]
  const rough = most / TICKS
  const unit = 10 ** Math.floor(Math.log10(rough))
  const step = unit * TICK_STEPS.find(factor => factor * unit >= rough)
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step)
}

/** A float as decimal text, for the labels of the axis. */
const axisText = value =>
  `$${formatShort(value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 6 }))}`

/** Draws `days` into a box of this width. Gives the drawing, and what is needed to point at a day. */
function draw (days, width) {
  const plot = {
    left: MARGIN.left, width: Math.max(1, width - MARGIN.left - MARGIN.right), bottom: HEIGHT - MARGIN.bottom
  }
  const first = indexOf(days[0].date)
  const count = indexOf(days.at(-1).date) - first + 1
  const step = plot.width / count
  const ticks = ticksFor(Math.max(...days.map(({ volume }) => Number(volume))))
  const x = date => plot.left + (indexOf(date) - first) * step
  const y = value => plot.bottom - Number(value) / ticks.at(-1) * (plot.bottom - MARGIN.top)
  const bars = step >= LEAST_BAR ? drawBars(days, x, y, step, plot) : drawOutline(days, x, y, step, plot)
  return { nodes: [...drawGrid(ticks, y, plot), ...drawDates(first, count, step, plot), bars], x, step, plot }
}

const drawGrid = (ticks, y, { left, width }) => ticks.flatMap(tick => [
  svg('line', {
    class: tick === 0 ? 'base' : 'grid',
    x1: left,
    x2: left + width,
    y1: Math.round(y(tick)) + 0.5,
    y2: Math.round(y(tick)) + 0.5
  }),
  svg('text', { class: 'tick', x: left - 10, y: y(tick), dy: '0.32em', 'text-anchor': 'end' }, axisText(tick))
])

/** The days that the time axis names, as many as fit: evenly apart, or in a long range the first of months. */
function namedDays (first, count, step) {
  if (count < MONTHS_FROM) {
    const every = Math.max(1, Math.ceil(LABEL / step))
    return Array.from({ length: Math.ceil(count / every) }, (_, index) => first + index * every)
  }
  const every = Math.max(1, Math.ceil(LABEL / step / MONTH))
  const start = new Date(first * DAY)
  const months = Array.from({ length: Math.ceil(count / MONTH / every) + 1 }, (_, index) =>
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1 + index * every) / DAY)
  return months.filter(day => day < first + count)
}

/** Labels of the time axis, none of them cut off at the end. */
const drawDates = (first, count, step, { left, width, bottom }) => namedDays(first, count, step)
  .map(day => ({ date: new Date(day * DAY).toISOString(), x: left + (day - first + 0.5) * step }))
  .filter(({ x }) => x + LABEL / 4 <= left + width)
  .map(({ date, x }) => svg('text', { class: 'tick', x, y: bottom + 20, 'text-anchor': 'middle' },
    count >= MONTHS_FROM ? formatMonth(date) : formatShortDay(date)))

function drawBars (days, x, y, step, { bottom }) {
  const gap = Math.min(MOST_BAR_GAP, step * 0.25)
  return svg('g', { class: 'bars' }, ...days.map(({ date, volume }) => {
    const top = y(volume)
    return svg('rect', {
      class: isToday(date) ? 'bar partial' : 'bar',
      x: x(date) + gap / 2,
      y: top,
      width: step - gap,
      height: Math.max(0, bottom - top),
      rx: Math.min(2, step / 4)
    })
  }))
}

/** Days that the service does not list leave a gap, since an unknown day is not a day without trade. */
function drawOutline (days, x, y, step, { bottom }) {
  const path = days.map(
    ({ date, volume }) => `M${x(date)} ${bottom}V${y(volume)}H${x(date) + step}V${bottom}Z`
  ).join('')
  return svg('path', { class: 'bar', d: path })
}

/** The days of a range, counted back from the last one. */
function within (days, range) {
  if (range === 'all' || days.length === 0) return days
  const from = indexOf(days.at(-1).date) - Number(range) + 1
  return days.filter(({ date }) => indexOf(date) >= from)
}

const dayName = date => `${formatDay(date)}${isToday(date) ? ', so far' : ''}`
const dayText = ({ date, volume, trades }) => [dayName(date), formatUsd(volume), formatCount(trades, 'trade')]

function summary (days) {
  const [first, last] = [days[0].date, days.at(-1).date]
  const most = days.reduce((best, day) => compare(day.volume, best.volume) > 0 ? day : best)
  const volume = formatUsd(sum(days.map(day => day.volume)))
  const trades = formatCount(days.reduce((total, day) => total + day.trades, 0), 'trade')
  return {
    label: `Volume per day from ${formatDay(first)} to ${formatDay(last)}: ${volume} in ${trades}; ` +
      `the most on ${formatDay(most.date)}, ${formatUsd(most.volume)}.`,
    parts: [`${formatShortDay(first)} – ${formatDay(last)}`, volume, trades]
  }
}

/** The chart over the markup of the page; `show` takes the daily records. */
export function createChart () {
  const picture = byId('chart')
  const slider = byId('day')
  const table = byId('days')
  let all = []
  let days = []
  let drawing = null
  let active = null

  const band = svg('rect', { class: 'band', y: MARGIN.top, height: HEIGHT - MARGIN.top - MARGIN.bottom, rx: 2 })

  /** Shows one day, or with null the whole range. */
  function point (index) {
    active = index
    const parts = index === null ? summary(days).parts : dayText(days[index])
    byId('readout').replaceChildren(
      ...parts.map((part, at) => element('span', { class: at === 1 ? 'main' : undefined }, part))
    )
    band.setAttribute('visibility', index === null ? 'hidden' : 'visible')
    if (index === null) return
    band.setAttribute('x', drawing.x(days[index].date))
    band.setAttribute('width', drawing.step)
    if (slider.value !== String(index)) slider.value = String(index)
    slider.setAttribute('aria-valuetext', parts.join(', '))
  }

  function render () {
    const width = Math.round(picture.getBoundingClientRect().width)
    if (days.length === 0 || width === 0) return
    const { label } = summary(days)
    drawing = draw(days, width)
    picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`)
    picture.setAttribute('aria-label', label)
    picture.replaceChildren(band, ...drawing.nodes)
    slider.max = String(days.length - 1)
    if (active === null) {
      slider.value = slider.max
      slider.setAttribute('aria-valuetext', dayText(days.at(-1)).join(', '))
    }
    point(active === null ? null : Math.min(active, days.length - 1))
  }

  function fillTable () {
    if (!byId('days-details').open) return
    table.replaceChildren(...days.toReversed().map(({ date, volume, trades }) => element('tr', {},
      element('th', { scope: 'row' }, element('time', { datetime: date }, dayName(date))),
      element('td', {}, formatUsd(volume)),
      element('td', {}, formatNumber(trades)))))
  }

  function choose () {
    days = within(all, document.querySelector('input[name=range]:checked').value)
    const last = all.at(-1)
    byId('today').hidden = last === undefined || !isToday(last.date)
    render()
    fillTable()
  }

  /** The record nearest to a place on the screen. */
  function nearest (clientX) {
    const wanted = clientX - picture.getBoundingClientRect().left - drawing.step / 2
    const distances = days.map(({ date }) => Math.abs(drawing.x(date) - wanted))
    return distances.indexOf(Math.min(...distances))
  }

  for (const radio of document.querySelectorAll('input[name=range]')) {
    radio.addEventListener('change', () => {
      active = null
      choose()
    })
  }
  const byPointer = event => { if (drawing !== null) point(nearest(event.clientX)) }
  picture.addEventListener('pointermove', byPointer)
  picture.addEventListener('pointerdown', byPointer)
  picture.addEventListener(
    'pointerleave', () => { if (drawing !== null && document.activeElement !== slider) point(null) }
  )
  slider.addEventListener('input', () => point(Number(slider.value)))
  slider.addEventListener('focus', () => { if (drawing !== null) point(Number(slider.value)) })
  slider.addEventListener('blur', () => { if (drawing !== null) point(null) })
  byId('days-details').addEventListener('toggle', fillTable)
  new ResizeObserver(render).observe(picture)

  return {
    show (records) {
      all = records.toSorted((a, b) => a.date < b.date ? -1 : 1)
      byId('chart-area').hidden = all.length === 0
      setText(byId('no-days'), all.length === 0 ? 'No day with trades has been recorded yet.' : '')
      choose()
    }
  }
}
