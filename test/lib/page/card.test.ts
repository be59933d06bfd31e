import { inflateSync } from 'node:zlib'
import t from 'tap'
import { encodePng } from '../../../lib/page/card/png.js'
import { box, createRaster, stroke } from '../../../lib/page/card/raster.js'
import { loadTypeface } from '../../../lib/page/card/text.js'

const pixel = ({ width, pixels }: { width: number, pixels: Uint8Array }, x: number, y: number): number => pixels[(y * width + x) * 3]!

t.test('shapes cover what they enclose, in shares of a pixel', async t => {
  const picture = createRaster(20, 10, [0, 0, 0])
  picture.fill(box(2, 2, 4.5, 3), [200, 200, 200])
  t.same([1, 2, 5, 6, 7].map(x => pixel(picture, x, 3)), [0, 200, 200, 100, 0])
  t.same([1, 2, 4, 5].map(y => pixel(picture, 3, y)), [0, 200, 200, 0])
  picture.fill([[[10, 0], [18, 8], [10, 8]]], [100, 100, 100])
  t.equal(pixel(picture, 11, 6), 100)
  t.equal(pixel(picture, 14, 4), 50, 'half a pixel on the slope')
  t.equal(pixel(picture, 17, 2), 0)
  const before = picture.pixels.slice()
  picture.fill(box(-50, -50, 10, 10), [255, 255, 255])
  picture.fill([], [255, 255, 255])
  t.same(picture.pixels, before, 'what lies outside is left out')
  for (const part of stroke([[0, 9], [19, 9], [19, 9]], 2)) picture.fill(part, [9, 9, 9])
})

t.test('a PNG file that holds the picture', async t => {
  const picture = createRaster(3, 2, [1, 2, 3])
  picture.fill(box(1, 1, 1, 1), [250, 0, 0])
  const file = await encodePng(picture)
  const rows = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)))
  const bytes = [...rows.subarray(1, 10), ...[...rows.subarray(11, 20)].map((difference, index) => (difference + rows[index + 1]!) % 256)]
  t.same(bytes, [...picture.pixels])
})

t.test('text: measured, cut, and only of letters that the font has', async t => {
  const type = await loadTypeface()
  t.ok(type.has('ÆTHER …−+%'))
  t.notOk(type.has('漢'))
  t.equal(type.fit('META', 20, 500), 'META')
  const cut = type.fit('A very long name of a token', 20, 100)
  t.match(cut, /^A .*…$/)
  t.ok(type.width(cut, 20) <= 100)
  t.ok(type.shape('i', 0, 0, 20).length >= 2, 'a letter of two parts')
})
