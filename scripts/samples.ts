/** How an operation is called, for the reference: generated from its path and the examples of what it needs. */

interface Parameter { name: string, in: string, required?: boolean, example?: unknown }
export interface Operation {
  parameters?: Parameter[]
  responses?: Record<string, { content?: Record<string, unknown> }>
}
interface Sample { lang: string, label: string, source: string }

/** Where `npm start` listens; the reference page puts its own address there. */
const ORIGIN = 'http://localhost:3000'

/** Calls in curl, TypeScript and Python, as `x-codeSamples` has them. `path`: with its parameters in braces. */
export function samplesOf (path: string, { parameters = [], responses = {} }: Operation): Sample[] {
  const needed = parameters.filter(({ required }) => required === true)
  const asked = needed.filter(({ in: place }) => place === 'query')
  const query = asked.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')
  const url = ORIGIN + (query === '' ? path : `${path}?${query}`)
    .replace(/\{(\w+)\}/g, (_place, name: string) => String(needed.find(needs => needs.name === name)?.example))
  const [type = ''] = Object.keys(responses[200]?.content ?? {})
  const isStream = type === 'text/event-stream'
  const isJson = type === 'application/json'
  const typescript = isStream
    ? `new EventSource('${url}').addEventListener('trade', ({ data }) => console.log(JSON.parse(data)))`
    : `const response = await fetch('${url}')
if (!response.ok) throw new Error((await response.json()).error)
console.log(await response.${isJson ? 'json' : 'text'}())`
  const print = isStream
    ? 'for line in response:\n        print(line.decode().rstrip())'
    : `print(${isJson ? 'json.load(response)' : 'response.read().decode()'})`
  const python = `${isJson ? 'import json\n' : ''}import urllib.request

with urllib.request.urlopen('${url}') as response:
    ${print}`
  return [
    { lang: 'Shell', label: 'curl', source: `curl${isStream ? ' --no-buffer' : ''} '${url}'` },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript },
    { lang: 'Python', label: 'Python', source: python }
  ]
}
