/** The OpenAPI document as plain text (the form of llms.txt). */

interface Parameter { name: string, in: string, required?: boolean, description?: string }

export interface ReferenceDocument {
  info: { title: string, version: string, description?: string }
  tags?: Array<{ name: string, description?: string }>
  paths: Record<string, { get?: { summary?: string, tags?: string[], parameters?: Parameter[] } }>
}

export function plainReference ({ info, tags = [], paths }: ReferenceDocument): string {
  const lines = (tag: string) => Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || get.tags?.[0] !== tag) return []
    const query = (get.parameters ?? []).filter(parameter => parameter.in === 'query')
      .map(({ name, required }) => required === true ? name : `[${name}]`)
    return [`- [${path}](${path}): ${get.summary ?? ''}${query.length === 0 ? '' : `. Query: ${query.join(', ')}`}`]
  })
  const sections = tags.map(({ name, description = '' }) =>
    [`## ${name}`, '', description, '', ...lines(name), ''].join('\n'))
  return [
    `# ${info.title} ${info.version}`,
    '',
    ...(info.description ?? '').split('\n').map(line => `> ${line}`.trimEnd()),
    '',
    'All paths answer GET; no key is needed. Amounts and prices are decimal text in whole tokens unless a field is ' +
      'called raw; ' +
    'times are ISO 8601 or Unix seconds, as named.',
    'Example: `curl /api/tickers` gives ' +
      '`[{"ticker_id": "BASE_MINT_QUOTE_MINT", "pool_id": "…", "last_price": "0.912345678901", …}]`.',
    'The whole contract with schemas and examples: [/documentation/json](/documentation/json) (OpenAPI 3.1).',
    '',
    ...sections
  ].join('\n')
}
