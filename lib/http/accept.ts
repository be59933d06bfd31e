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
 * Whether a client that is served plain text by default asks for JSON instead: it names application/json, does not want
 * text as much, and no range that leaves it open more.
 */
export function prefersJson (header: string | undefined): boolean {
  if (header === undefined) return false
  const given = weights(header)
  const json = given.get('application/json') ?? 0
  const text = given.get('text/plain') ?? given.get('text/*') ?? 0
  return json > 0 && json > text && json >= (given.get('*/*') ?? 0)
}
