import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Raster } from './raster.js'

/** Pictures as PNG files (ISO/IEC 15948): 8 bits a channel, red, green and blue. */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const CHANNELS = 3
const BITS = 8
const TRUECOLOUR = 2
/** Each row as the difference from the one above: plain areas become zeros. */
const FILTER_UP = 2
const deflateAsync = promisify(deflate)

function chunk (type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** The file of a picture; packed off the event loop. */
export async function encodePng ({ width, height, pixels }: Raster): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([BITS, TRUECOLOUR], 8)
  const row = width * CHANNELS
  const filtered = Buffer.alloc((row + 1) * height)
  for (let y = 0; y < height; y++) {
    const to = y * (row + 1) + 1
    filtered[to - 1] = FILTER_UP
    filtered.set(pixels.subarray(y * row, (y + 1) * row), to)
    if (y > 0) for (let x = 0; x < row; x++) filtered[to + x]! -= pixels[(y - 1) * row + x]!
  }
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', await deflateAsync(filtered)), chunk('IEND', Buffer.alloc(0))])
}
