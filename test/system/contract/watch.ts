import { pipeline, Readable, Transform } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerOf, type Contract, createValidators, type DocumentedAnswer, misplaced } from './document.js'

/** Answers of a path that does not exist have no operation to be held to; these they may be. */
const NO_SUCH_PATH = [404, 429, 500, 503]

interface Promised {
  contract: Contract
  validators: ReturnType<typeof createValidators>
  /** Headers that are the service's own, in lower case. */
  own: string[]
}

/**
 * What a document promises, by its text: most applications of a process have the same, and to make it costs more than
 * most tests of one.
 */
const known = new Map<string, Promised>()
const MAX_KNOWN = 8

function promisedBy (fastify: FastifyInstance): Promised {
  const contract = fastify.swagger() as unknown as Contract
  const text = JSON.stringify(contract)
  let promised = known.get(text)
  if (promised === undefined) {
    if (known.size === MAX_KNOWN) known.clear()
    const own = Object.keys(contract.components.headers).map(name => name.toLowerCase())
    known.set(text, promised = { contract, validators: createValidators(contract), own })
  }
  return promised
}

/** Headers that an answer carries wherever the document has them. */
const ALWAYS = ['cache-control', 'etag', 'vary', 'x-chain-time']

type Held = Pick<DocumentedAnswer, 'headers' | 'content'> & { way: readonly string[] }

/**
 * Holds every answer of an application to the document that it serves: route, status, media type, headers and body.
 * Made before anything is registered; `fail` is told of each answer that the document does not have. Pages, their
 * assets and preflights are no part of it.
 */
export function holdToContract (fastify: FastifyInstance, fail: (problem: string) => void): void {
  let promised: Promised | undefined

  function documented (contract: Contract, request: FastifyRequest, status: number): Held | string {
    if (request.is404) {
      return NO_SUCH_PATH.includes(status)
        ? {
            content: { 'application/json': { schema: {} } }, way: []
          }
        : 'the path does not exist'
    }
    const path = (request.routeOptions.url ?? '').replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}')
    const answer = answerOf(contract, path, String(status))
    if (request.routeOptions.schema?.response === undefined) return 'the route has no schema of its answers'
    return answer ?? 'the route does not have this status'
  }

  function check (
    { contract, validators, own }: Promised, request: FastifyRequest, reply: FastifyReply, payload: unknown
  ): string | undefined {
    const answer = documented(contract, request, reply.statusCode)
    if (typeof answer === 'string') return answer
    if (!request.is404) {
      const names = Object.keys(answer.headers ?? {}).map(name => name.toLowerCase())
      const unknown = own.find(name => reply.hasHeader(name) && !names.includes(name))
      if (unknown !== undefined) return `the header ${unknown} is not documented`
      const missing = ALWAYS.find(name => names.includes(name) && !reply.hasHeader(name))
      if (missing !== undefined) return `the header ${missing} is documented and not sent`
    }
    const body = bytesOf(reply, payload)
    // What is given for HEAD is measured, not sent
    if (answer.content === undefined) {
      return body.length === 0 || request.method === 'HEAD'
        ? undefined
        : 'a body is not documented'
    }
    const media = String(reply.getHeader('content-type')).split(';')[0]!
    if (answer.content[media] === undefined) return `${media} is not documented`
    const value: unknown = media === 'application/json' ? JSON.parse(body) : body
    const way = request.is404 ? ['components', 'schemas', 'Error'] : [...answer.way, 'content', media, 'schema']
    const validate = validators(way)
    return validate(value)
      ? misplaced(contract, answer.content[media].schema, value)
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `${instancePath} ${message}`
        ).join('; ')
  }

  fastify.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.schema?.hide === true) return
    const held = promised ??= promisedBy(fastify)
    const hold = (body: unknown): void => {
      const problem = attempt(() => check(held, request, reply, body))
      if (problem !== undefined) fail(`${request.method} ${request.url.slice(0, 200)}, ${reply.statusCode}: ${problem}`)
    }
    if (!(payload instanceof Readable)) hold(payload)
    else if (request.method !== 'HEAD') return pipeline(payload, collector(hold), () => {})
  })
}

/** Passes bytes on, and tells of all of them once they have come to their end. */
function collector (told: (all: Buffer) => void): Transform {
  const parts: Buffer[] = []
  return new Transform({
    transform (part: Buffer, _encoding, done) {
      parts.push(part)
      done(null, part)
    },
    flush (done) {
      told(Buffer.concat(parts))
      done()
    }
  })
}

function attempt (check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch (error) {
    return String(error)
  }
}

function bytesOf (reply: FastifyReply, payload: unknown): string {
  const body = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '')
  const encoding = reply.getHeader('content-encoding')
  if (encoding === 'gzip') return gunzipSync(body).toString()
  return encoding === 'br' ? brotliDecompressSync(body).toString() : body.toString()
}
