/** Bursts of strangers in a world: many at once, each with an address of his own, within the limit and beyond it. */
import { RATE_LIMITED } from '../../../schemas/errors.js'
import { checkAggregate, checkDaos, checkTickers } from './checks.js'
import { type Answer, checkBounds, DEADLINE_MS, shownOf } from './clients.js'
import type { Burst } from './plan.js'
import { fail, time, type World } from './scene.js'

/** Requests of one address in a clock minute: RATE_LIMIT_MAX as it is by default. */
const LIMIT = 60
const MINUTE_MS = 60_000
/** What answers may be while nodes and disk have their weather. */
const STATUSES = new Set([200, 404, 500, 502, 503])
/**
 * Readings of all DAOs that a burst may cause while it is answered, for each node: one a second where it fails, tried
 * again four times.
 */
const MOST_READINGS = 25

interface Reply { client: string, path: string, answer: Answer, ms: number }

/** What strangers ask for, in turn. */
const pathsOf = ({ ledger }: World): string[] =>
  [
    '/api/tickers', '/api/daos', '/api/volume/aggregate', `/api/supply/${ledger.daos[0]!.base.address}`, '/health',
    '/ready', '/dexscreener/latest-block', '/nowhere'
  ]

/**
 * Asks, and checks what is told when it comes; `told`: bodies by path and entity tag, of which each is checked once.
 */
async function ask (world: World, client: string, path: string, told: Map<string, string>): Promise<Reply> {
  const asked = time.now()
  const { statusCode: status, headers, payload } = await world.app!.inject({ url: path, remoteAddress: client })
  const body = String(headers['content-type']).includes('json') ? JSON.parse(payload) : payload
  const answer = { status, body, problems: '', headers, shown: shownOf(headers) }
  if (status !== 429 && !STATUSES.has(status)) {
    fail('burst', `one of ${[...STATUSES].join()} from ${path}`, String(status))
  }
  if (status === 200 && headers.etag !== undefined) {
    const key = `${path} ${headers.etag}`
    const known = told.get(key)
    if (known === undefined) check(world, path, answer)
    else if (known !== payload) fail('burst', `one body for ${key}`, 'another')
    told.set(key, payload)
  }
  return { client, path, ms: time.now() - asked, answer }
}

function check (world: World, path: string, answer: Answer): void {
  if (path === '/api/tickers') checkTickers(world, answer)
  else if (path === '/api/daos') checkDaos(world, answer)
  else if (path === '/api/volume/aggregate') checkAggregate(world, answer)
}

/** All requests of these clients at one moment, and one of somebody else's behind them. */
async function wave (world: World, clients: readonly string[], requests: number): Promise<void> {
  const paths = pathsOf(world)
  const [readingsBefore, turnsIn] = [readings(world), MINUTE_MS - time.epoch() % MINUTE_MS]
  const told = new Map<string, string>()
  const all = Promise.all(clients.flatMap((client, at) => Array.from(
    { length: requests }, (_, each) => ask(world, client, paths[(at + each) % paths.length]!, told)
  )))
  const beside = ask(world, addressOf(world.strangers++), '/health', told)
  checkBounds(world)
  const [replies, other] = await time.until(Promise.all([all, beside]), DEADLINE_MS + 1000)
  if (other.answer.status !== 200 || other.ms > 0) {
    fail('burst', '200 at once for who asks beside it', `${other.answer.status} after ${other.ms} ms`)
  }
  for (const { path, ms } of replies) {
    if (ms > DEADLINE_MS) fail('deadline', `${path} within ${DEADLINE_MS} ms`, `after ${ms} ms`)
  }
  for (const client of clients) checkLimit(replies.filter(reply => reply.client === client), Math.ceil(turnsIn / 1000))
  const caused = readings(world) - readingsBefore
  if (caused > MOST_READINGS * world.nodes.length) {
    fail('burst', `at most ${MOST_READINGS} readings of each node`, String(caused))
  }
}

const readings = ({ nodes }: World): number => nodes.reduce(
  (sum, { service }) => sum + (service.calls.getProgramAccounts ?? 0), 0
)

/**
 * Of what one client asks within a minute the first are answered, each told how many are left; the rest, when it may
 * come again.
 */
function checkLimit (replies: readonly Reply[], turnsIn: number): void {
  const refused = replies.filter(({ answer }) => answer.status === 429)
  const answered = replies.filter(({ answer }) => answer.status !== 429)
  const expected = Math.min(LIMIT, replies.length)
  if (answered.length !== expected) fail('limit', `${expected} of ${replies.length} answered`, String(answered.length))
  const left = answered.map(({ answer: { headers } }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a)
  if (left.some((count, at) => count !== LIMIT - 1 - at)) {
    fail('limit', `each told how many are left, from ${LIMIT - 1} down`, left.join())
  }
  for (const { path, answer: { headers, body } } of refused) {
    const told = {
      error: body.error,
      'retry-after': headers['retry-after'],
      ...Object.fromEntries([
        'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit', 'ratelimit-policy'
      ].map(name => [name, headers[name]]))
    }
    const right = {
      error: RATE_LIMITED,
      'retry-after': turnsIn,
      'x-ratelimit-limit': LIMIT,
      'x-ratelimit-remaining': 0,
      'x-ratelimit-reset': turnsIn,
      ratelimit: `"minute";r=0;t=${turnsIn}`,
      'ratelimit-policy': `"minute";q=${LIMIT};w=60`
    }
    const apart = Object.entries(right).find(
      ([name, value]) => String(told[name as keyof typeof told]) !== String(value)
    )
    if (apart !== undefined) fail(`limit of ${path}`, apart.join(' '), JSON.stringify(told))
  }
}

const addressOf = (stranger: number): string => `10.${stranger >> 16 & 255}.${stranger >> 8 & 255}.${stranger & 255}`

/** A burst; those who were refused come again when they were told to, and are answered. */
export async function burst (world: World, { clients, requests }: Burst): Promise<void> {
  const addresses = Array.from({ length: clients }, () => addressOf(world.strangers++))
  await wave(world, addresses, requests)
  if (requests <= LIMIT) return
  // our clock may be a slow one: the minute has not turned before it says so
  const minute = (): number => Math.floor(time.epoch() / MINUTE_MS)
  for (const before = minute(); minute() === before;) await time.advance(MINUTE_MS - time.epoch() % MINUTE_MS)
  await wave(world, addresses, LIMIT)
}
