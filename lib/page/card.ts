import { createRequire } from 'node:module'
import { cutText } from '../../public/market/format.js'
import { escapeHtml } from './html.js'
import type { Figures, MarketFacts, PoolFacts } from './pool-facts.js'
import { type Line, TOP } from './sparklines.js'

/**
 * Share images of links: of a pool its name, price, change and the last week, of the market its totals and the deepest
 * pools. Drawn without a browser.
 */

const WIDTH = 1200
/** Bytes of a pixel, and how often a picture's own are counted. */
const [RGBA, COUNTED] = [4, 6]
const HEIGHT = 630
const EDGE = 72
const GROUND = '#101413'
const INK = '#e7ecea'
const QUIET = '#9daba6'
const ACCENT = '#62cbb1'
const DARK = '#0b1513'
const UP = '#4cc79a'
const DOWN = '#f08a80'
const CHART = { x: 640, y: 250, width: WIDTH - EDGE - 640, height: 210 }

/** Mean width of a letter by its height: what is a little wider runs up to the edge, where it is cut off. */
const LETTER = 0.62
const SMALLEST = 40

const require = createRequire(import.meta.url)
const FONT = {
  fontFiles: [require.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf')],
  loadSystemFonts: false,
  defaultFontFamily: 'Inter SemiBold'
}

/** Characters that the font lacks, emoji and their modifiers among them. */
const UNKNOWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0300-\u036f -\u00ff\u2010-\u2026⁰⁴-⁹⁻\u20ac\u2122\u2212]/gu
/** All but powers of ten: NFKC would make 10-9 of 10⁻⁹. */
const NO_POWER = /[^⁰¹²³⁴-⁹⁻]+/g

/** A text as far as the font has it, escaped, cut to `most` characters. */
function written (text: string, most: number): string {
  const plain = text.replace(NO_POWER, part => part.normalize('NFKC')).replace(UNKNOWN, '')
  return escapeHtml(cutText(plain.replace(/ +/g, ' '), most))
}

const fitting = (size: number, room: number) => Math.floor(room / size / LETTER)

const text = (x: number, y: number, size: number, colour: string, words: string, anchor = 'start') =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" fill="${colour}">${words}</text>`

/** Where a line runs on the image; empty for fewer than two points. */
function pointsOf (week: Line): Array<[x: number, y: number]> {
  const points = week.flatMap((height, index): Array<[number, number]> => height === null
    ? []
    : [[CHART.x + index / (week.length - 1) * CHART.width, CHART.y + (1 - height / TOP) * CHART.height]])
  return points.length < 2 ? [] : points
}

function chartOf (line: ReadonlyArray<[number, number]>, colour: string): string {
  const points = line.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  const floor = CHART.y + CHART.height + 24
  const area = `${points} ${line.at(-1)![0].toFixed(1)},${floor} ${line[0]![0].toFixed(1)},${floor}`
  return `<polygon points="${area}" fill="${colour}" opacity="0.14"/>` +
    `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="5" stroke-linejoin="round" ` +
      'stroke-linecap="round"/>' +
    text(CHART.x, CHART.y - 30, 26, QUIET, '7 days')
}

const bar = (x: number, height: number) =>
  `<rect x="${EDGE + x}" y="${99 - height}" width="6" height="${height}" fill="${DARK}"/>`

/** An image around `content`, which ends at its edge, above a line of figures; it is shown long after its `time`. */
function frame (content: string, { volume, liquidity }: Partial<Figures>, time = '', behind = ''): string {
  const texts = Object.entries({ 'Volume, 24 h': volume, Liquidity: liquidity }).flatMap(([label, value]) =>
    value === undefined ? [] : [`${label}  <tspan font-size="30" fill="${INK}">${written(value, 24)}</tspan>`])
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"
  font-family="Inter SemiBold" font-weight="600" xml:space="preserve">
<clipPath id="edge"><rect width="${WIDTH - EDGE}" height="${HEIGHT}"/></clipPath>
<rect width="${WIDTH}" height="${HEIGHT}" fill="${GROUND}"/>
<rect x="${EDGE}" y="64" width="44" height="44" rx="10" fill="${ACCENT}"/>${bar(10, 12)}${bar(19, 19)}${bar(28, 26)}
${text(EDGE + 62, 96, 30, QUIET, 'DAO Market Data')}
${text(WIDTH - EDGE, 96, 26, QUIET, time, 'end')}
${behind}
<g clip-path="url(#edge)">
${content}
<rect x="${EDGE}" y="510" width="${WIDTH - 2 * EDGE}" height="2" fill="#2b3432"/>
${text(EDGE, 566, 28, QUIET, texts.join('<tspan>      </tspan>'))}
</g>
</svg>`
}

const colourOf = (change: string) => change.startsWith('−') ? DOWN : UP

export function marketSource ({ pools, rows, ...amounts }: MarketFacts, time?: string): string {
  const drawn = rows.map(({ base, quote, mint, quoteMint, price, change = '' }, index) => {
    const y = 272 + index * 50
    const unit = written(quote, 12) || quoteMint
    return text(EDGE, y, 30, INK, `${written(base, 18)}<tspan fill="${QUIET}"> ${mint}</tspan>`) +
      text(880, y, 30, INK, `${written(price, 20)}<tspan fill="${QUIET}"> ${unit}</tspan>`, 'end') +
      text(WIDTH - EDGE, y, 30, colourOf(change), written(change, 16), 'end')
  })
  const count = pools === 0 ? '' : `<tspan dx="24" font-size="34" fill="${QUIET}">${pools} pools</tspan>`
  return frame(text(EDGE, 200, 72, INK, `DAO markets${count}`) + drawn.join(''), amounts, time)
}

/** The source of a pool's image. Every text in it is bounded, so its size and the work of drawing it are. */
export function cardSource (
  facts: Omit<PoolFacts, 'isDeciding'> & Figures & { week?: Line }, time?: string
): string {
  const { base, quote, name, mint, quoteMint, price, change, week = [] } = facts
  const line = pointsOf(week)
  const isUp = (week.at(-1) ?? 0) >= (week.find(height => height !== null) ?? 0)
  const wide = WIDTH - 2 * EDGE
  const room = line.length > 0 ? CHART.x - 2 * EDGE : wide
  const unit = written(quote, 12) || quoteMint
  const baseRoom = wide - (unit.length + 3) * 44 * LETTER
  const symbol = written(base, fitting(SMALLEST, baseRoom)) || mint
  const symbolSize = Math.max(SMALLEST, Math.min(84, baseRoom / Math.max(1, symbol.length) / LETTER))
  const amount = written(price, 32)
  const changed = change === undefined
    ? ''
    : `<tspan dx="24" fill="${colourOf(change)}">${written(change, 16)} in 24 h</tspan>`
  const chart = line.length > 0 ? chartOf(line, isUp ? UP : DOWN) : ''
  // beside the name the mint, which nobody can imitate
  const called = [written(name, fitting(34, room) - mint.length - 3), mint].filter(part => part !== '').join(' · ')
  const content = [
    text(EDGE, 220, symbolSize, INK, `${symbol}<tspan font-size="44" fill="${QUIET}"> / ${unit}</tspan>`),
    text(EDGE, 270, 34, QUIET, called),
    text(EDGE, 400, Math.min(96, room / Math.max(1, amount.length) / LETTER), INK, amount),
    text(EDGE, 452, 34, QUIET, unit + changed)
  ]
  return frame(content.join(''), facts, time, chart)
}

/** An image as a PNG file, drawn beside the event loop; packing it takes the loop some 20 ms. */
export async function drawCard (source: string): Promise<Buffer> {
  // loaded with the first picture: a service that nobody shares needs none of it
  const { renderAsync } = await import('@resvg/resvg-js')
  const image = await renderAsync(source, { font: FONT })
  // a picture holds 3 MB that V8 does not count until it is collected; by memory that V8 counts, and that nobody
  // touches, it collects every few pictures, not every hundred
  Buffer.allocUnsafeSlow(COUNTED * image.width * image.height * RGBA)
  return image.asPng()
}
