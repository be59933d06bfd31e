import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Font, Glyph } from 'opentype.js'
import type { Point, Shape } from './raster.js'

/** Text as shapes, of a font that the service brings along. */

const FILE = 'files/inter-latin-600-normal.woff'
/** Straight pieces of a curve: the largest letters are not more than 100 pixels high. */
const PIECES = 8

export interface Typeface {
  /** Whether the font has every letter of a text. */
  has (text: string): boolean
  width (text: string, size: number): number
  /** The text on a base line that begins at a place. */
  shape (text: string, x: number, y: number, size: number): Shape
  /** The text, or as much of its beginning as fits, with an ellipsis. */
  fit (text: string, size: number, width: number): string
}

let loading: Promise<Font> | undefined

/** Loaded when the first picture is asked for: a service that nobody shares needs none of it. */
async function loadFont (): Promise<Font> {
  const folder = dirname(fileURLToPath(import.meta.resolve('@fontsource/inter/package.json')))
  const [{ default: { parse } }, bytes] = await Promise.all([import('opentype.js'), readFile(join(folder, FILE))])
  return parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

const between = (a: number, b: number, share: number): number => a + (b - a) * share

export async function loadTypeface (): Promise<Typeface> {
  loading ??= loadFont()
  const font = await loading

  /** Letters side by side. The library's own shaping gives up on rules of fonts that it does not know; these texts need none. */
  function letters (text: string, x: number, size: number): Array<{ glyph: Glyph, at: number }> {
    let at = x
    return [...text].map(letter => {
      const placed = { glyph: font.charToGlyph(letter), at }
      at += placed.glyph.advanceWidth / font.unitsPerEm * size
      return placed
    })
  }

  function shape (text: string, x: number, y: number, size: number): Shape {
    const outlines: Point[][] = []
    let outline: Point[] = []
    let [lastX, lastY] = [0, 0]
    for (const command of letters(text, x, size).flatMap(({ glyph, at }) => glyph.getPath(at, y, size).commands)) {
      if (command.type === 'M') outlines.push(outline = [])
      if (command.type === 'Z') continue
      for (let piece = 1; piece <= PIECES; piece++) {
        const share = piece / PIECES
        if (command.type === 'Q') {
          outline.push([
            between(between(lastX, command.x1, share), between(command.x1, command.x, share), share),
            between(between(lastY, command.y1, share), between(command.y1, command.y, share), share)])
        } else if (command.type === 'C') {
          const cubic = (a: number, b: number, c: number, d: number): number =>
            a * (1 - share) ** 3 + 3 * b * share * (1 - share) ** 2 + 3 * c * share ** 2 * (1 - share) + d * share ** 3
          outline.push([cubic(lastX, command.x1, command.x2, command.x), cubic(lastY, command.y1, command.y2, command.y)])
        }
      }
      if (command.type === 'M' || command.type === 'L') outline.push([command.x, command.y])
      ;[lastX, lastY] = [command.x, command.y]
    }
    return outlines
  }

  const width = (text: string, size: number): number => [...text].reduce((sum, letter) => sum + font.charToGlyph(letter).advanceWidth, 0) / font.unitsPerEm * size
  return {
    has: text => [...text].every(letter => font.charToGlyphIndex(letter) > 0),
    width,
    shape,
    fit (text, size, room) {
      if (width(text, size) <= room) return text
      const kept = [...text]
      while (kept.length > 0 && width(`${kept.join('')}…`, size) > room) kept.pop()
      return `${kept.join('').trimEnd()}…`
    }
  }
}
