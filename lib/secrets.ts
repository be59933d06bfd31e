/** Secrets: the parts of settings that carry keys. */

/** Settings whose password and query are secret; true: user and path too, which may be an API key. */
const HOLDERS = { CHAIN_RPC_URL: true, CHAIN_WS_URL: true, DATABASE_URL: false, REDIS_URL: false }
/** Parts of a query that are no secrets: plain words, which a log is full of. */
const PLAIN = ['schema', 'sslmode']
/** Shorter ones are words and numbers, of which a log is full, too. */
const SHORTEST = 5
const HIDDEN = '[hidden]'

function decoded (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function partsOf (url: string, path: boolean): string[] {
  // no URL: hidden as a whole
  if (!URL.canParse(url)) return [url]
  const { username, password, pathname, search, searchParams, hash } = new URL(url)
  // a database's user is often a plain word, of which a log is full
  const values = [...searchParams].filter(([name]) => !PLAIN.includes(name)).map(([, value]) => value)
  const parts = [password, search.slice(1), hash.slice(1), ...values]
  return path ? [...parts, username, pathname.slice(1), ...pathname.split('/')] : parts
}

/** The secrets in the settings of `env`, in every spelling in which they may turn up, longest first. */
export function secretsOf (env: Readonly<Record<string, string | undefined>>): string[] {
  const found = new Set<string>()
  for (const [name, path] of Object.entries(HOLDERS)) {
    for (const url of (env[name] ?? '').split(',')) {
      for (const part of partsOf(url.trim(), path)) {
        for (const spelling of [part, decoded(part), encodeURIComponent(decoded(part))]) {
          if (spelling.length < SHORTEST) continue
          found.add(spelling).add(JSON.stringify(spelling).slice(1, -1))
        }
      }
    }
  }
  return [...found].sort((a, b) => b.length - a.length)
}

/** A function that takes `secrets` out of a text. */
export const createRedactor = (secrets: readonly string[]) => (text: string) =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text)
