/* global document, AbortSignal, DOMException, EventSource, fetch */

/** Reading the service thriftily: it allows each visitor 60 requests per minute, and says when to come back. */

/** Beside the page, wherever that is served: this file is two folders below it. */
const BASE = new URL('../../', import.meta.url)

const PATIENCE = 20_000
/** Seconds to wait where the service does not say, and the most that it may make us wait. */
const DEFAULT_WAIT = 5
const LONGEST_WAIT = 300
/** What shows old figures, or none, asks again after this at most, ms: whatever has come back is there soon. */
const AGAIN = 4_000

/** A stream that was refused is asked for again after this, ms. */
const REFUSED_PAUSE = 60_000

/** When the limit of requests allows the next one; it counts for everything the page asks. */
let limitedUntil = 0

/**
 * An answer that is no success. `kind`: limited, warming, missing (there is no such thing), or error; without a
 * `status` nobody answered.
 */
export class Failure extends Error {
  constructor (kind, message, { status, retryAt } = {}) {
    super(message)
    this.name = 'Failure'
    this.kind = kind
    this.status = status
    /** Time from which asking again makes sense; undefined where nobody said. */
    this.retryAt = retryAt
  }
}

/** What was thrown, as one: a status says that it was not the network. */
export const failureFrom = error => error instanceof Failure
  ? error
  : new Failure('error', 'The page met an error of its own.', { status: 0 })

const limited = message => new Failure('limited', message, { status: 429, retryAt: limitedUntil })

/** When a Retry-After header allows the next request: it holds seconds or a date. */
function retryTime (header, now) {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : (Date.parse(header ?? '') - now) / 1000
  return now + Math.min(LONGEST_WAIT, Math.max(1, Number.isNaN(seconds) ? DEFAULT_WAIT : seconds)) * 1000
}

/** What the service says went wrong, in its own words. */
async function messageOf (response) {
  const body = await response.json().catch(() => null)
  return typeof body?.error === 'string' && body.error !== ''
    ? body.error
    : `The service answered with status ${response.status}.`
}

async function failureOf (response) {
  const message = await messageOf(response)
  const retryAt = retryTime(response.headers.get('retry-after'), Date.now())
  if (response.status === 429) {
    limitedUntil = retryAt
    return limited(message)
  }
  if (response.status === 503) return new Failure('warming', message, { status: 503, retryAt })
  return new Failure(response.status === 404 ? 'missing' : 'error', message, { status: response.status })
}

async function request (path, signal) {
  const patience = AbortSignal.timeout(PATIENCE)
  try {
    return await fetch(new URL(path, BASE), {
      // to a page that is gone back to or opened again, browsers give what they have kept, however old
      cache: 'no-cache',
      signal: signal === undefined ? patience : AbortSignal.any([signal, patience])
    })
  } catch (error) {
    if (signal?.aborted) throw error
    const late = error instanceof DOMException && error.name === 'TimeoutError'
    throw new Failure('error', late ? 'The service did not answer in time.' : 'The service could not be reached.')
  }
}

/**
 * The answer to a path, checked, with its age in seconds where the service says that it is stale, the chain's time of
 * it, the number of trades that it says are missing where the history has holes, and from when on all are known; null
 * where it says nothing of the kind. Throws a Failure.
 * @param {string} path Without the slash it begins with.
 * @param {(body: any) => any} check Gives what it is shown, or throws when the page can't use that.
 * @param {AbortSignal} [signal]
 * @param {number[]} [also] Statuses beside success whose bodies are answers too.
 */
export async function get (path, check, signal, also = []) {
  if (Date.now() < limitedUntil) throw limited('Rate limit exceeded. Please try again later.')
  const response = await request(path, signal)
  if (!response.ok && !also.includes(response.status)) throw await failureOf(response)
  let data
  try {
    data = check(await response.json())
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Failure(
      'error',
      'The service answered in a form that this page cannot read: loading the page again may help.',
      { status: response.status }
    )
  }
  const { headers } = response
  const [age, most = 0] = [Number(headers.get('age')), /max-age=(\d+)/.exec(headers.get('cache-control'))?.[1]]
  return {
    data,
    // by the service's clock, when it was sent: a reader's may be wrong, and a browser or a cache may have kept it
    loadedAt: Date.parse(headers.get('date')) || Date.now(),
    // a cache says one of what is fresh, too
    age: age > most ? age : null,
    asOf: headers.get('x-chain-time'),
    missing: headers.get('x-history-complete') === 'false' ? headers.get('x-history-missing') : null,
    since: headers.get('x-history-since')
  }
}

/**
 * Asks for `path` again and again while somebody looks. `show` gets the last answer, if any, the failure that followed
 * it, if any, and a function that asks anew.
 * @param {{ path: string, check: (body: any) => any, interval: number, show: (answer: any, failure: Failure | null,
 * retry: () => void) => void, also?: number[] }} options
 * @returns {{ refresh: () => Promise<void>, stop: () => void }} Once stopped, nothing is asked or shown any more.
 */
export function poll ({ path, check, interval, show, also = [] }) {
  let answer = null
  let due = 0
  let timer
  let running = null
  let stopped = false

  function pauseAfter (failure) {
    if (failure?.retryAt !== undefined) return failure.retryAt - Date.now()
    return failure === null && answer.age === null ? interval : Math.min(interval, AGAIN)
  }

  async function ask () {
    let failure = null
    try {
      let next = await get(path, check, undefined, also)
      // what was loaded before this ran may have been kept for long; where only clocks differ, it is asked for twice
      if (answer === null && Date.now() - next.loadedAt > interval) next = await get(path, check, undefined, also)
      answer = next
    } catch (error) {
      failure = failureFrom(error)
    }
    if (stopped) return
    due = Date.now() + Math.max(0, pauseAfter(failure))
    if (failure !== null) failure.retryAt = due
    wait()
    show(answer, failure, refresh)
  }

  function refresh () {
    clearTimeout(timer)
    running ??= ask().finally(() => { running = null })
    return running
  }

  /** Nobody looks at a hidden page: it asks for nothing until it is seen again. */
  function wait () {
    clearTimeout(timer)
    if (!stopped && document.visibilityState === 'visible') timer = setTimeout(refresh, Math.max(0, due - Date.now()))
  }

  document.addEventListener('visibilitychange', () => { if (running === null) wait() })
  refresh()
  return {
    refresh,
    stop () {
      stopped = true
      clearTimeout(timer)
    }
  }
}

/**
 * Listens to the service's stream while somebody looks, beside asking: where there is none, or it breaks, asking goes
 * on.
 * @param {{ query: string, on: Record<string, (data: any) => void> }} options What to do with the events, by their
 * names.
 */
export function listen ({ query, on }) {
  let source
  let again
  function follow () {
    clearTimeout(again)
    source?.close()
    source = undefined
    if (document.visibilityState !== 'visible') return
    source = new EventSource(new URL(`api/stream?${query}`, BASE))
    for (const [name, handle] of Object.entries(on)) {
      source.addEventListener(name, ({ data }) => handle(JSON.parse(data)))
    }
    // a connection that broke comes back by itself, one that was refused does not
    source.addEventListener('error', () => {
      clearTimeout(again)
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(follow, REFUSED_PAUSE)
    })
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
