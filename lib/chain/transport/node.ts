import type { Fetch } from '../types.js'

/** Where a node is, taken apart so that only `host` need ever be told. */
export interface NodeAddress {
  /** Host and port. */
  host: string
  /** Without the user part, which fetch refuses. */
  url: string
  /** What the user part becomes. */
  authorization: string | undefined
}

/** Reads a node's URL; throws a TypeError, which does not repeat it, where it is none. */
export function readNodeUrl (text: string, position: number): NodeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new TypeError(`node ${position + 1} has no http or https URL`)
  const { host, username, password } = url
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  url.username = ''
  url.password = ''
  return { host, url: url.href, authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}` }
}

/** Sends every request to one node, wherever it was meant for. */
export function withNode (fetch: Fetch, { url, authorization }: NodeAddress): Fetch {
  return (_, init) => {
    const headers = new Headers(init?.headers)
    if (!headers.has('content-type')) headers.set('content-type', 'application/json')
    if (authorization !== undefined) headers.set('authorization', authorization)
    // A redirect would carry the key and the request to a host that nobody chose.
    return fetch(url, { method: 'POST', body: init?.body ?? null, headers, redirect: 'manual', signal: init?.signal ?? null })
  }
}
