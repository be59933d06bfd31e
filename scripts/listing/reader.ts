import type { Answer } from '../command-line.js'
import { isRow, type Json, type Refuse, type Row, rowOf } from './rules.js'

export type Get = (path: string, headers?: Record<string, string>) => Promise<Answer>

/** What is as old, or may be kept as long, is no price of now, s. */
const MAX_AGE = 60

export type Reader = ReturnType<typeof createReader>

/** Reads answers, each held to what its headers say: kind, entity tag, lifetime, age. */
export function createReader (get: Get, refuse: Refuse) {
  const last = new Map<string, Answer>()

  async function read (path: string, type: string): Promise<Answer | undefined> {
    const answer = await get(path)
    const { status, headers, text } = answer
    if (status !== 200) return refuse(`${path}: status ${status}: ${text.slice(0, 120)}`)
    if (!String(headers['content-type']).startsWith(type)) refuse(`${path}: content type ${headers['content-type']}`)
    checkHeaders(path, answer, refuse)
    const before = last.get(path)
    // one that says its age has another tag than the same without
    const isAlike = before !== undefined && (before.headers.age === undefined) === (headers.age === undefined)
    if (isAlike && (before.headers.etag === headers.etag) !== (before.text === text)) {
      refuse(`${path}: ${before.text === text ? 'the same body under another ETag' : 'two bodies under one ETag'}`)
    }
    last.set(path, answer)
    return answer
  }

  /** A JSON answer of status 200; undefined, and told, for anything else. */
  async function json (path: string): Promise<Json | undefined> {
    const answer = await read(path, 'application/json')
    if (answer === undefined) return undefined
    // an exponent where a number stands: many parsers cut it off
    if (/[[:,]\s*-?\d+(\.\d+)?[eE][+-]?\d/.test(answer.text)) refuse(`${path}: a number with an exponent`)
    try {
      return JSON.parse(answer.text) as Json
    } catch {
      return refuse(`${path}: no JSON`)
    }
  }

  return {
    json,
    /** The object that is the answer, or that it holds by this name; undefined, and told, where there is none. */
    async row (path: string, name?: string): Promise<Row | undefined> {
      const found = await json(path)
      const row = name === undefined ? found : rowOf(found)[name]
      return isRow(row) ? row : refuse(`${path}: no ${name === undefined ? 'object' : `{ ${name}: {} }`}`)
    },
    /** The text of a plain-text answer of status 200; undefined, and told, for anything else. */
    plain: async (path: string): Promise<string | undefined> => (await read(path, 'text/plain'))?.text,
    /** The answer as it is, held to nothing. */
    raw: get,
    /** Seconds that the last answer of the path says it is old. */
    ageOf: (path: string): number => Number(last.get(path)?.headers.age ?? 0),
    /** Of the last answer of the path: Unix ms of its oldest data, and for how many s it is fresh; NaN: unsaid. */
    timeOf: (path: string): number => Date.parse(last.get(path)?.headers['x-chain-time'] ?? ''),
    lifeOf: (path: string): number => livesFor(last.get(path)?.headers['cache-control'])
  }
}

const livesFor = (control = ''): number => Number(/^public, max-age=(\d+)$/.exec(control)?.[1] ?? NaN)

function checkHeaders (path: string, { headers, text }: Answer, refuse: Refuse): void {
  const { etag, age, vary, 'cache-control': control, 'content-length': length, 'content-encoding': encoding } = headers
  if (etag === undefined || !/^"[^"]+"$/.test(etag)) refuse(`${path}: no strong ETag: ${etag}`)
  const lives = livesFor(control)
  if (!(lives <= MAX_AGE)) {
    refuse(`${path}: Cache-Control ${control}: public, and a minute at most`)
  }
  if (age !== undefined && (!/^\d+$/.test(age) || Number(age) > MAX_AGE)) {
    refuse(`${path}: Age ${age}: a minute at most`)
  }
  if (age !== undefined && Number(age) > 0 && lives > 0) {
    refuse(`${path}: Age ${age} of an answer that is fresh for ${lives} s`)
  }
  if (!/accept-encoding/i.test(vary ?? '')) refuse(`${path}: Vary does not name accept-encoding`)
  if (encoding === undefined && length !== undefined && Number(length) !== Buffer.byteLength(text)) {
    refuse(`${path}: Content-Length ${length} of ${Buffer.byteLength(text)} bytes`)
  }
}

/** Asks again for what is known by its tag: 304 without a body, or another body under another tag. */
export async function checkKnown ({ raw }: Reader, path: string, refuse: Refuse): Promise<void> {
  const { status, headers: { etag }, text } = await raw(path)
  if (status !== 200 || etag === undefined) return
  const again = await raw(path, { 'if-none-match': etag })
  if (again.status === 304 ? again.text !== '' || again.headers.etag !== etag : again.headers.etag === etag) {
    const found = `${again.status} with ${again.text.length} characters under ${again.headers.etag}`
    refuse(`${path}: asked for with If-None-Match ${etag}, it answers ${found}`)
  } else if (again.status === 200 && again.text === text) refuse(`${path}: the same body under another ETag`)
}
