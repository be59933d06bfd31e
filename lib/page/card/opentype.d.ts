/** What of the font library is used; it comes without types. */
declare module 'opentype.js' {
  export type Command =
    { type: 'M' | 'L', x: number, y: number } |
    { type: 'Q', x: number, y: number, x1: number, y1: number } |
    { type: 'C', x: number, y: number, x1: number, y1: number, x2: number, y2: number } |
    { type: 'Z' }
  export interface Glyph {
    advanceWidth: number
    getPath (x: number, y: number, size: number): { commands: Command[] }
  }
  export interface Font {
    unitsPerEm: number
    charToGlyph (letter: string): Glyph
    /** 0 where the font has none. */
    charToGlyphIndex (letter: string): number
  }
  const library: { parse (bytes: ArrayBuffer): Font }
  export default library
}
