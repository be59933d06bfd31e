import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml'
}

export const mediaTypeOf = (name: string) => TYPES[extname(name)] ?? 'application/octet-stream'

/** The q value of each media range in an Accept header, lower-case names. */
function weights (header: string): Map<string, number> {
  return new Map(header.split(',').map(item => {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    const value = weight === undefined ? 1 : Number(weight.slice(2))
    return [name, Number.isFinite(value) ? value : 0]
  }))
}

/**
 * Whether a client that is served plain text by default asks for JSON: it names application/json, and wants nothing
 * else more.
 */
export function prefersJson (header: string | undefined): boolean {
  if (header === undefined) return false
  const given = weights(header)
  const json = given.get('application/json') ?? 0
  const text = given.get('text/plain') ?? given.get('text/*') ?? 0
  return json > 0 && json > text && json >= (given.get('*/*') ?? 0)
}
