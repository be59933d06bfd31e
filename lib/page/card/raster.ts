/** A picture of plain colours, drawn by shapes with soft edges. Places are in pixels from the top left. */

export type Colour = readonly [red: number, green: number, blue: number]
export type Point = readonly [x: number, y: number]
/** Closed outlines; holes run the other way round. */
export type Shape = ReadonlyArray<readonly Point[]>

export interface Raster {
  width: number
  height: number
  /** Red, green and blue of each pixel, row by row. */
  pixels: Uint8Array
  /** Fills a shape; `opacity` from 0 to 1. */
  fill (shape: Shape, colour: Colour, opacity?: number): void
}

const CHANNELS = 3

/** Adds to `cover` what the line from a to b encloses to its right, as signed areas whose running sum along a row is each pixel's coverage. */
function addLine (cover: Float32Array, width: number, height: number, [ax, ay]: Point, [bx, by]: Point): void {
  if (ay === by) return
  const direction = ay < by ? 1 : -1
  const [topX, topY, bottomX, bottomY] = ay < by ? [ax, ay, bx, by] : [bx, by, ax, ay]
  const slope = (bottomX - topX) / (bottomY - topY)
  for (let row = Math.max(0, Math.floor(topY)); row < Math.min(height, Math.ceil(bottomY)); row++) {
    const [from, to] = [Math.max(row, topY), Math.min(row + 1, bottomY)]
    const area = direction * (to - from)
    const [x0, x1] = [topX + (from - topY) * slope, topX + (to - topY) * slope]
    const [left, right] = x0 < x1 ? [x0, x1] : [x1, x0]
    const [first, last] = [Math.floor(left), Math.ceil(right)]
    const at = (x: number, value: number): void => {
      if (x < width) cover[row * width + Math.max(0, x)]! += value
    }
    if (last <= first + 1) {
      const middle = (left + right) / 2 - first
      at(first, area * (1 - middle))
      at(first + 1, area * middle)
      continue
    }
    const each = area / (right - left)
    // what lies to the left of `x` within the line's own span, of a height that grows evenly along it
    const within = (x: number): number => x <= left ? 0 : x >= right ? (right - left) * (x - (left + right) / 2) : (x - left) ** 2 / 2
    let before = 0
    let step = 0
    for (let x = first; x < last; x++) {
      const total = within(x + 1) * each
      at(x, total - before - step)
      step = total - before
      before = total
    }
    at(last, area - step)
  }
}

/** A picture filled with one colour. */
export function createRaster (width: number, height: number, background: Colour): Raster {
  const pixels = new Uint8Array(width * height * CHANNELS)
  Buffer.from(pixels.buffer).fill(Buffer.from(background))

  function fill (shape: Shape, colour: Colour, opacity = 1): void {
    const points = shape.flat()
    if (points.length === 0) return
    const left = Math.max(0, Math.floor(Math.min(...points.map(([x]) => x))))
    const top = Math.max(0, Math.floor(Math.min(...points.map(([, y]) => y))))
    const boxWidth = Math.min(width, Math.ceil(Math.max(...points.map(([x]) => x))) + 1) - left
    const boxHeight = Math.min(height, Math.ceil(Math.max(...points.map(([, y]) => y)))) - top
    if (boxWidth <= 0 || boxHeight <= 0) return
    const cover = new Float32Array(boxWidth * boxHeight)
    for (const outline of shape) {
      outline.forEach(([x, y], index) => {
        const [nextX, nextY] = outline[(index + 1) % outline.length]!
        addLine(cover, boxWidth, boxHeight, [x - left, y - top], [nextX - left, nextY - top])
      })
    }
    for (let row = 0; row < boxHeight; row++) {
      let sum = 0
      for (let column = 0; column < boxWidth; column++) {
        sum += cover[row * boxWidth + column]!
        const share = Math.min(1, Math.abs(sum)) * opacity
        if (share < 0.002) continue
        const at = ((top + row) * width + left + column) * CHANNELS
        for (let channel = 0; channel < CHANNELS; channel++) pixels[at + channel] = Math.round(pixels[at + channel]! * (1 - share) + colour[channel]! * share)
      }
    }
  }

  return { width, height, pixels, fill }
}

const CORNER_STEPS = 8

/** A rectangle with round corners. */
export function box (x: number, y: number, width: number, height: number, radius = 0): Shape {
  const corners: ReadonlyArray<readonly [x: number, y: number, quarter: number]> = [
    [x + width - radius, y + radius, -1], [x + width - radius, y + height - radius, 0], [x + radius, y + height - radius, 1], [x + radius, y + radius, 2]]
  return [corners.flatMap(([centreX, centreY, quarter]) => Array.from({ length: radius === 0 ? 1 : CORNER_STEPS + 1 }, (_, step): Point => {
    const angle = (quarter + step / CORNER_STEPS) * Math.PI / 2
    return [centreX + radius * Math.cos(angle), centreY + radius * Math.sin(angle)]
  }))]
}

/** A line through points, of a thickness: a band for each stretch and a disc where they meet. */
export function stroke (points: readonly Point[], thickness: number): Shape[] {
  const half = thickness / 2
  return points.flatMap(([x, y], index): Shape[] => {
    const joint = box(x - half, y - half, thickness, thickness, half)
    const next = points[index + 1]
    if (next === undefined) return [joint]
    const length = Math.hypot(next[0] - x, next[1] - y)
    if (length === 0) return [joint]
    const [dx, dy] = [(next[1] - y) / length * half, (x - next[0]) / length * half]
    return [joint, [[[x + dx, y + dy], [next[0] + dx, next[1] + dy], [next[0] - dx, next[1] - dy], [x - dx, y - dy]]]]
  })
}
