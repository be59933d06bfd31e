import { svg } from './dom.js'

/** Prices of a week as a line, by where each lies between the lowest and the highest. */

const WIDTH = 96
const HEIGHT = 28
const EDGE = 2
/** What the highest price has. */
const MOST = 99

/** A drawing of `heights`, oldest first, null before the first trade; undefined where there are fewer than two. */
export function drawSparkline (heights) {
  const first = heights.findIndex(height => height !== null)
  if (first === -1 || heights.length - first < 2) return undefined
  const values = heights.slice(first)
  const x = index => ((index + first) / (heights.length - 1) * WIDTH).toFixed(1)
  const y = value => (EDGE + (1 - value / MOST) * (HEIGHT - 2 * EDGE)).toFixed(1)
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('')
  const direction = values.at(-1) > values[0] ? 'up' : values.at(-1) < values[0] ? 'down' : 'flat'
  return svg('svg', {
    class: `spark ${direction}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'
  },
  svg('path', { class: 'spark-area', d: `${line}L${WIDTH} ${HEIGHT}L${x(0)} ${HEIGHT}Z` }),
  svg('path', { class: 'spark-line', d: line }))
}
