import { encodePng } from './png.js'
import { box, type Colour, createRaster, type Point, stroke } from './raster.js'
import { loadTypeface } from './text.js'

/** The image of a pool that others show beside a link to it: name, price, change, the last week. Drawn without a browser. */

/** What every pool has. */
export interface PoolFacts {
  base: string
  quote: string
  name: string
  /** Five significant digits, for people. */
  price: string
}

export interface CardFacts extends PoolFacts {
  /** In per cent with its sign, "+3.42 %"; undefined where it is not known. */
  change?: string
  /** Amounts with their unit, for people. */
  volume?: string
  liquidity?: string
  /** Prices of the last week, oldest first, null before the first trade. */
  closes?: ReadonlyArray<string | null>
}

const WIDTH = 1200
const HEIGHT = 630
const EDGE = 72
const GROUND: Colour = [16, 20, 19]
const PANEL: Colour = [23, 28, 27]
const INK: Colour = [231, 236, 234]
const QUIET: Colour = [157, 171, 166]
const ACCENT: Colour = [98, 203, 177]
const DARK: Colour = [11, 21, 19]
const UP: Colour = [76, 199, 154]
const DOWN: Colour = [240, 138, 128]
const PRICE_SIZE = 96
const CHART = { x: 640, y: 250, width: WIDTH - EDGE - 640, height: 210 }

/** Lets others have their turn. */
const turn = (): Promise<void> => new Promise(resolve => { setImmediate(resolve) })

/** Where a line of prices runs; empty for fewer than two. */
function lineOf (closes: ReadonlyArray<string | null>): Point[] {
  const first = closes.findIndex(close => close !== null)
  if (first === -1 || closes.length - first < 2) return []
  const values = closes.slice(first).map(Number)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return values.map((value, index): Point => [
    CHART.x + (index + first) / (closes.length - 1) * CHART.width,
    CHART.y + (most === least ? CHART.height / 2 : (most - value) / (most - least) * CHART.height)])
}

/** The image as a PNG file. Others have their turns in between: all of it at once would hold them up. */
export async function drawCard ({ base, quote, name, price, change, volume, liquidity, closes = [] }: CardFacts): Promise<Buffer> {
  const type = await loadTypeface()
  await turn()
  const picture = createRaster(WIDTH, HEIGHT, GROUND)
  const write = (text: string, x: number, y: number, size: number, colour: Colour, room = WIDTH - EDGE - x): number => {
    const shown = type.fit(type.has(text) ? text : [...text].map(letter => type.has(letter) ? letter : '?').join(''), size, room)
    picture.fill(type.shape(shown, x, y, size), colour)
    return x + type.width(shown, size)
  }

  picture.fill(box(EDGE, 64, 44, 44, 10), ACCENT)
  for (const [x, height] of [[10, 12], [19, 19], [28, 26]] as const) picture.fill(box(EDGE + x, 64 + 35 - height, 6, height), DARK)
  write('DAO Market Data', EDGE + 62, 96, 30, QUIET)

  await turn()
  const line = lineOf(closes)
  const rising = change === undefined ? undefined : !change.startsWith('−')
  if (line.length > 0) {
    const colour = Number(closes.at(-1)) >= Number(closes.find(close => close !== null)) ? UP : DOWN
    picture.fill([[...line, [line.at(-1)![0], CHART.y + CHART.height + 24], [line[0]![0], CHART.y + CHART.height + 24]]], colour, 0.14)
    for (const part of stroke(line, 5)) picture.fill(part, colour)
    write('7 days', CHART.x, CHART.y - 30, 26, QUIET)
  }

  await turn()
  const room = (line.length > 0 ? CHART.x : WIDTH) - 2 * EDGE
  const end = write(base, EDGE, 220, 84, INK, WIDTH - 2 * EDGE - type.width(` / ${quote}`, 44))
  write(` / ${quote}`, end, 220, 44, QUIET)
  if (name !== '') write(name, EDGE, 270, 34, QUIET, room)
  write(price, EDGE, 400, Math.min(PRICE_SIZE, PRICE_SIZE * room / type.width(price, PRICE_SIZE)), INK)
  const unitEnd = write(quote, EDGE, 452, 34, QUIET, room / 2)
  if (change !== undefined && rising !== undefined) {
    const label = `${change} in 24 h`
    const wide = type.width(label, 34) + 36
    picture.fill(box(unitEnd + 24, 416, wide, 50, 25), PANEL)
    write(label, unitEnd + 42, 453, 34, rising ? UP : DOWN)
  }
  picture.fill(box(EDGE, 510, WIDTH - 2 * EDGE, 2), [43, 52, 50])
  let x = EDGE
  for (const [label, value] of [['Volume, 24 h', volume], ['Liquidity', liquidity]] as const) {
    if (value === undefined) continue
    const labelled = write(`${label}  `, x, 566, 28, QUIET)
    x = write(value, labelled, 566, 30, INK) + 56
  }
  await turn()
  return await encodePng(picture)
}
