import { svg } from './dom.js'

/** Prices of a week as a line. Only where it runs is worked out in numbers, to a tenth of a pixel. */

const WIDTH = 96
const HEIGHT = 28
const EDGE = 2

/** A drawing of `closes`, oldest first, null before the first trade; undefined where there are fewer than two. */
export function drawSparkline (closes) {
  const first = closes.findIndex(close => close !== null)
  if (first === -1 || closes.length - first < 2) return undefined
  const values = closes.slice(first).map(Number)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const x = index => ((index + first) / (closes.length - 1) * WIDTH).toFixed(1)
  const y = value => (most === least
    ? HEIGHT / 2
    : EDGE + (most - value) / (most - least) * (HEIGHT - 2 * EDGE)).toFixed(1)
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('')
  const direction = values.at(-1) > values[0] ? 'up' : values.at(-1) < values[0] ? 'down' : 'flat'
  return svg('svg', {
    class: `spark ${direction}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'
  },
  svg('path', { class: 'spark-area', d: `${line}L${WIDTH} ${HEIGHT}L${x(0)} ${HEIGHT}Z` }),
  svg('path', { class: 'spark-line', d: line }))
}
