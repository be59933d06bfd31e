import { test } from 'tap'
import { httpError, nodeError } from '../../../lib/chain/node-errors.js'
import { createQueue } from '../../../lib/chain/node.js'
import { createRate } from '../../../lib/chain/rate.js'
import type { Call, Priority, Reply } from '../../../lib/chain/types.js'
import { createVirtualTime } from '../../support/virtual-time.js'

/** `burst`: of a bucket that holds so many calls, and gets `calls` more in a window. */
interface Limit { calls: number, windowMs: number, method?: string, burst?: number }
interface Limits {
  limits: Limit[]
  retryAfter?: number | 'rest'
  /** What they state; true: the limits. */
  headers?: boolean | Record<string, string>
  status?: 403 | 429 | 503
  fixed?: boolean
  latency?: number
  jitter?: number
}

/**
 * A node that counts calls, members of a batch one by one, in windows that slide or begin on the hour, on a clock of
 * its own making.
 */
function setUp (
  { limits, retryAfter, status = 429, fixed = false, latency = 40, jitter = 0, headers = false }: Limits,
  stated?: number
) {
  const clock = createVirtualTime()
  const accepted: Array<{ at: number, method: string }> = []
  const refusedAt: number[] = []
  let state = 7
  const random = () => { state = (state * 48271) % 2147483647; return state / 2147483647 }
  const requests: Array<{ method: string, size: number, at: number }> = []

  const buckets = new Map<Limit, { tokens: number, at: number }>()

  function hasToken (limit: Limit, burst: number): boolean {
    const { tokens, at } = buckets.get(limit) ?? { tokens: burst, at: 0 }
    const held = Math.min(burst, tokens + (clock.now() - at) * limit.calls / limit.windowMs)
    buckets.set(limit, { tokens: held >= 1 ? held - 1 : held, at: clock.now() })
    return held >= 1
  }

  function admit (method: string): boolean {
    const now = clock.now()
    const ok = limits.every(limit => {
      if (limit.burst !== undefined) return hasToken(limit, limit.burst)
      if (limit.method !== undefined && limit.method !== method && limit.method !== '*') return true
      const from = fixed ? Math.floor(now / limit.windowMs) * limit.windowMs - 1e-9 : now - limit.windowMs
      let count = 0
      for (let i = accepted.length - 1; i >= 0 && accepted[i]!.at > from; i--) {
        if (limit.method === undefined || accepted[i]!.method === method) count++
      }
      return count < limit.calls
    })
    if (ok) accepted.push({ at: now, method })
    else refusedAt.push(now)
    return ok
  }

  const span = Math.max(...limits.map(({ windowMs }) => windowMs)) / 1000
  const rate = createRate(clock, stated)
  const pace = createQueue(async (calls: readonly Call[]): Promise<Reply[]> => {
    await clock.sleep(latency / 2 + random() * jitter)
    const { method } = calls[0]!
    requests.push({ method, size: calls.length, at: clock.now() })
    const replies = calls.map((): Reply => admit(method)
      ? { result: 1 }
      : {
          error: httpError(
            'node', status, retryAfter === 'rest' ? span - Math.floor(clock.now() / 1000) % span : retryAfter
          )
        })
    await clock.sleep(latency / 2)
    if (typeof headers === 'object') rate.readHeaders(method, headers)
    for (const { calls } of headers === true ? limits : []) {
      rate.readHeaders(method, { 'x-ratelimit-method-limit': String(calls) })
    }
    return replies
  }, { host: 'node', clock, rate, callMs: 5_000, largestBatch: 50 })

  const send = (count: number, method = 'getTransaction', priority: Priority = 'past', patience?: number) =>
    pace.send(
      Array.from({ length: count }, () => ({ method, params: [] })),
      { priority, signal: new AbortController().signal, ...(patience !== undefined && { patience }) }
    )

  /** Calls accepted and refused between two moments. */
  const between = (from: number, to: number) => ({
    accepted: accepted.filter(({ at }) => at > from && at <= to).length,
    refused: refusedAt.filter(at => at > from && at <= to).length
  })
  return { clock, pace, rate, send, between, requests, accepted }
}

const NODES: Array<{ name: string, node: Limits, perSecond: number, seconds: number }> = [
  {
    name: '10 of a method in 10 s, Retry-After 10',
    node: { limits: [{ calls: 10, windowMs: 10_000, method: '*' }], retryAfter: 10 },
    perSecond: 1,
    seconds: 200
  },
  {
    name: '10 of a method in 10 s, said in headers',
    node: { limits: [{ calls: 10, windowMs: 10_000, method: '*' }], retryAfter: 10, headers: true },
    perSecond: 1,
    seconds: 200
  },
  {
    name: '10 of a method in 10 s, Retry-After 10, said to be 100',
    node: {
      limits: [{ calls: 10, windowMs: 10_000, method: '*' }],
      retryAfter: 10,
      headers: { 'x-ratelimit-method-limit': '100' }
    },
    perSecond: 1,
    seconds: 200
  },
  {
    name: '10 a second, Retry-After 1, said to be 50 of a method',
    node: {
      limits: [{ calls: 10, windowMs: 1_000 }],
      retryAfter: 1,
      headers: { 'x-ratelimit-method-limit': '500' }
    },
    perSecond: 10,
    seconds: 100
  },
  {
    name: '40 of a method and 100 in all in 10 s, Retry-After 10',
    node: { limits: [{ calls: 40, windowMs: 10_000, method: '*' }, { calls: 100, windowMs: 10_000 }], retryAfter: 10 },
    perSecond: 4,
    seconds: 200
  },
  {
    name: '40 in 10 s, windows on the hour',
    node: { limits: [{ calls: 40, windowMs: 10_000 }], retryAfter: 10, fixed: true },
    perSecond: 4,
    seconds: 200
  },
  {
    name: '40 in 10 s without Retry-After',
    node: { limits: [{ calls: 40, windowMs: 10_000 }] },
    perSecond: 4,
    seconds: 200
  },
  {
    name: '10 a second without Retry-After',
    node: { limits: [{ calls: 10, windowMs: 1_000 }], jitter: 10 },
    perSecond: 10,
    seconds: 100
  },
  {
    name: '10 a second, windows on the second',
    node: { limits: [{ calls: 10, windowMs: 1_000 }], fixed: true },
    perSecond: 10,
    seconds: 100
  },
  { name: '50 a second', node: { limits: [{ calls: 50, windowMs: 1_000 }], jitter: 10 }, perSecond: 50, seconds: 100 },
  {
    name: '10 a second, said by 503',
    node: { limits: [{ calls: 10, windowMs: 1_000 }], jitter: 10, status: 503 },
    perSecond: 10,
    seconds: 100
  },
  {
    name: '50 a second, said by 403',
    node: { limits: [{ calls: 50, windowMs: 1_000 }], jitter: 10, status: 403 },
    perSecond: 50,
    seconds: 100
  },
  {
    name: '50 a second, said by 503',
    node: { limits: [{ calls: 50, windowMs: 1_000 }], jitter: 10, status: 503 },
    perSecond: 50,
    seconds: 100
  },
  { name: '200 a second', node: { limits: [{ calls: 200, windowMs: 1_000 }] }, perSecond: 200, seconds: 60 },
  {
    name: '40 in 10 s, windows on the hour, Retry-After till the next',
    node: { limits: [{ calls: 40, windowMs: 10_000 }], fixed: true, retryAfter: 'rest' },
    perSecond: 4,
    seconds: 200
  },
  {
    name: '3 a second, Retry-After 1',
    node: { limits: [{ calls: 3, windowMs: 1_000 }], retryAfter: 1 },
    perSecond: 3,
    seconds: 200
  },
  {
    name: '20 in 2 s, Retry-After 1',
    node: { limits: [{ calls: 20, windowMs: 2_000 }], retryAfter: 1 },
    perSecond: 10,
    seconds: 100
  },
  {
    name: '100 in 5 s, Retry-After 1',
    node: { limits: [{ calls: 100, windowMs: 5_000 }], retryAfter: 1 },
    perSecond: 20,
    seconds: 100
  },
  {
    name: '400 in 10 s, Retry-After 1',
    node: { limits: [{ calls: 400, windowMs: 10_000 }], retryAfter: 1 },
    perSecond: 40,
    seconds: 100
  },
  ...[10, 50, 200].map(calls => ({
    name: `${calls} a second, Retry-After 10`,
    node: { limits: [{ calls, windowMs: 1_000 }], retryAfter: 10, jitter: 10 },
    perSecond: calls,
    seconds: 100
  })),
  {
    name: '2 a second, Retry-After 1',
    node: { limits: [{ calls: 2, windowMs: 1_000 }], retryAfter: 1, jitter: 10 },
    perSecond: 2,
    seconds: 200
  }
]

for (const { name, node, perSecond, seconds } of NODES) {
  test(`a node of ${name}: four fifths of what it allows, few refusals`, async t => {
    const { clock, send, between } = setUp(node)
    send(20_000).catch(() => {})
    await clock.run((10 + seconds) * 1000)
    const { accepted, refused } = between(10_000, (10 + seconds) * 1000)
    const share = accepted / (perSecond * seconds)
    t.ok(share >= 0.8, `${(share * 100).toFixed(1)} % of what is allowed`)
    t.ok(refused / (accepted + refused) < 0.05, `${refused} of ${accepted + refused} refused`)
  })
}

test('ten seconds of silence for a limit a second lower all calls to it once, ' +
  'beside the reads of a service', async t => {
  const { clock, send, between } = setUp({ limits: [{ calls: 10, windowMs: 1_000 }], retryAfter: 10, jitter: 10 })
  send(20_000).catch(() => {})
  for (let second = 0; second < 60; second++) {
    const methods = second % 8 === 0
      ? ['getProgramAccounts', 'getAccountInfo']
      : second % 10 === 5 ? ['getSignaturesForAddress'] : []
    for (const method of methods) send(1, method, 'live').catch(() => {})
    await clock.run(1_000)
  }
  const { accepted } = between(10_000, 60_000)
  t.ok(accepted >= 400, `${accepted} of 500`)
})

/** Of a service without a subscription, beside the past. */
async function readFor (seconds: number, { clock, send }: Pick<ReturnType<typeof setUp>, 'clock' | 'send'>) {
  for (let second = 0; second < seconds; second++) {
    if (second % 2 === 0) {
      for (const method of ['getAccountInfo', 'getSignaturesForAddress']) send(1, method, 'head').catch(() => {})
    }
    if (second % 8 === 0) {
      for (const method of ['getProgramAccounts', 'getAccountInfo']) send(1, method, 'live').catch(() => {})
    }
    await clock.run(1_000)
  }
}

test('a bucket with a burst that asks for ten seconds of silence is not taken for a limit of ten seconds', async t => {
  for (const [calls, burst] of [[20, 40], [50, 100], [100, 100], [100, 200]] as const) {
    const node = setUp({ limits: [{ calls, windowMs: 1_000, burst }], retryAfter: 10, jitter: 10 })
    node.send(50_000).catch(() => {})
    await readFor(120, node)
    const { accepted, refused } = node.between(10_000, 120_000)
    t.ok(accepted >= 0.5 * 110 * calls, `${accepted} of ${110 * calls}, with a burst of ${burst}`)
    t.ok(refused < 0.05 * accepted, `${refused} refused`)
  }
})

test('a few calls a second are not taken for one method\'s limit, nor a method\'s for all, ' +
  'as a service starts', async t => {
  const node = setUp({ limits: [{ calls: 5, windowMs: 1_000 }], fixed: true, jitter: 10 })
  for (const method of ['getHealth', 'getMultipleAccounts', 'getGenesisHash']) {
    node.send(1, method, 'head').catch(() => {})
  }
  node.send(20_000).catch(() => {})
  await readFor(120, node)
  const all = node.between(10_000, 120_000)
  t.ok(all.accepted >= 0.8 * 110 * 5, `${all.accepted} of ${110 * 5}`)
  t.ok(all.refused < 0.05 * all.accepted, `${all.refused} refused`)

  const limits = [
    ['getTransaction', 10], ['getSignaturesForAddress', 10], ['getProgramAccounts', 10], ['getAccountInfo', 50]
  ]
    .map(([method, calls]) => ({ method: String(method), calls: Number(calls), windowMs: 10_000 }))
  const byMethod = setUp({ limits, retryAfter: 10, jitter: 10 })
  byMethod.send(20_000).catch(() => {})
  await readFor(120, byMethod)
  const reading = byMethod.accepted.filter(({ at, method }) => at > 10_000 && method === 'getTransaction').length
  t.ok(reading >= 0.7 * 110, `${reading} of 110`)
})

test('all calls are lowered with the first that is accepted again, whichever was refused first', async t => {
  const node = setUp({ limits: [{ calls: 20, windowMs: 10_000 }], fixed: true, latency: 80, jitter: 30 })
  node.send(20_000).catch(() => {})
  await readFor(120, node)
  const { accepted, refused } = node.between(10_000, 120_000)
  t.ok(refused < 0.05 * accepted, `${refused} of ${accepted + refused} refused`)
})

test('a window that is used up is known where calls are refused beyond the silence asked for', async t => {
  for (const calls of [125, 250, 400]) {
    const { clock, send, between } = setUp({ limits: [{ calls, windowMs: 10_000 }], retryAfter: 1 })
    send(20_000).catch(() => {})
    await clock.run(60_000)
    const { accepted, refused } = between(10_000, 60_000)
    t.ok(accepted >= 0.8 * 5 * calls, `${accepted} of ${5 * calls}`)
    t.ok(refused < 0.01 * accepted, `${refused} of ${accepted + refused} refused`)
  }
})

test('a limit by the minute is spread over it once it is known: few live reads wait for the next', async t => {
  for (const fixed of [true, false]) {
    const { clock, send, between } = setUp({ limits: [{ calls: 1_800, windowMs: 60_000 }], fixed, retryAfter: 'rest' })
    send(50_000).catch(() => {})
    await clock.run(180_000)
    const waits: number[] = []
    for (let at = 0; at < 60; at++) {
      const begun = clock.now()
      send(1, 'getMultipleAccounts', 'live').then(() => waits.push(clock.now() - begun), () => {})
      await clock.run(5_000)
    }
    const long = waits.filter(ms => ms > 2_000).length + 60 - waits.length
    t.ok(long <= 6, `${long} of 60 wait for longer than 2 s`)
    const { accepted, refused } = between(180_000, 480_000)
    t.ok(accepted >= 0.8 * 9_000, `${accepted} of 9,000`)
    t.ok(refused < 0.05 * accepted, `${refused} refused`)
  }
})

test('a limit by the minute is found also where no Retry-After tells of it', async t => {
  for (const { calls, fixed } of [{ calls: 600, fixed: true }, { calls: 1_800, fixed: false }]) {
    const { clock, send, between } = setUp({ limits: [{ calls, windowMs: 60_000 }], fixed })
    send(50_000).catch(() => {})
    await clock.run(600_000)
    const { accepted, refused } = between(60_000, 600_000)
    t.ok(accepted >= 0.8 * calls * 9, `${accepted} of ${calls * 9}`)
    t.ok(refused < 0.05 * accepted, `${refused} refused`)
  }
})

test('a limit by the minute is probed once a second while it is used up, and then refuses hardly anything', async t => {
  const limits = [{ calls: 600, fixed: true }, { calls: 1_500, fixed: false }, { calls: 3_000, fixed: true }]
  for (const { calls, fixed } of limits) {
    const { clock, send, between } = setUp({ limits: [{ calls, windowMs: 60_000 }], fixed, latency: 200 })
    send(50_000).catch(() => {})
    await clock.run(300_000)
    const [first, second, later] = [between(10_000, 60_000), between(60_000, 120_000), between(120_000, 300_000)]
    t.ok(first.refused <= 30, `${first.refused} in the first minute`)
    t.ok(second.refused <= 0.02 * calls, `${second.refused} in the second`)
    t.ok(later.refused <= 0.02 * 3 * calls, `${later.refused} in three more`)
    t.ok(second.accepted + later.accepted >= 0.8 * 4 * calls, `${second.accepted + later.accepted} of ${4 * calls}`)
  }
})

test('a rate of less than a call a second grows fourfold at a time, not for each second between calls', async t => {
  const { clock, send, between } = setUp({ limits: [{ calls: 2, windowMs: 2_000 }], fixed: true, retryAfter: 10 })
  for (const method of ['getAccountInfo', 'getSignaturesForAddress', 'getProgramAccounts']) {
    send(1, method, 'head').catch(() => {})
  }
  send(800).catch(() => {})
  await clock.run(60_000)
  const { refused } = between(0, 60_000)
  t.ok(refused < 20, `${refused} refused`)
})

test('a limit that seemed lower by the silence asked for is learned at one refusal beyond', async t => {
  for (const calls of [5, 8, 30]) {
    const { clock, send, between } = setUp({ limits: [{ calls, windowMs: 1_000 }], retryAfter: 5 })
    send(20_000).catch(() => {})
    await clock.run(600_000)
    const { accepted } = between(300_000, 600_000)
    t.ok(accepted >= 0.8 * calls * 300, `${accepted} of ${calls * 300}`)
  }
})

test('a node without limits is at full speed within seconds', async t => {
  const { clock, send, between } = setUp({ limits: [] })
  send(100_000).catch(() => {})
  await clock.run(8_000)
  t.ok(between(0, 5_000).accepted > 4_000, `${between(0, 5_000).accepted} in five seconds`)
  t.ok(between(7_000, 8_000).accepted >= 50 * 4 * 25, 'as many batches of fifty as may be under way')
})

test('a live read never waits behind the past', async t => {
  for (const limit of [{ calls: 10, windowMs: 1_000 }, { calls: 10, windowMs: 10_000 }]) {
    const { clock, send } = setUp({ limits: [limit] })
    send(10_000).catch(() => {})
    await clock.run(60_000)
    const waits: number[] = []
    for (let i = 0; i < 10; i++) {
      const begun = clock.now()
      send(1, 'getMultipleAccounts', 'live').then(() => waits.push(clock.now() - begun), () => {})
      await clock.run(limit.windowMs)
    }
    t.equal(waits.length, 10)
    t.ok(Math.max(...waits) <= 1.3 * limit.windowMs / limit.calls + 600, `${Math.round(Math.max(...waits))} ms at most`)
  }
})

test('the state goes before clients, these before the head, the last day and what is before it', async t => {
  const { clock, send, accepted } = setUp({ limits: [] }, 5)
  const given = [['e', 'past'], ['d', 'day'], ['c', 'head'], ['b', 'live'], ['a', 'state']] as const
  for (const [method, priority] of given) send(2, method, priority).catch(() => {})
  await clock.run(10_000)
  t.equal(accepted.map(({ method }) => method).join(''), 'eaabbccdde', 'but for the one that was first')
})

test('however much clients ask for, the state does not wait, the last day has a third, the past a ninth', async t => {
  for (const [behind, share] of [['head', 1 / 3], ['day', 1 / 3], ['past', 1 / 9]] as const) {
    const { clock, send, accepted } = setUp({ limits: [{ calls: 10, windowMs: 1_000 }] }, 10)
    const waits: number[] = []
    for (let second = 0; second < 90; second++) {
      const begun = clock.now()
      send(20, 'a', 'live').catch(() => {})
      send(5, 'b', behind).catch(() => {})
      if (second % 10 === 9) send(1, 'c', 'state').then(() => waits.push(clock.now() - begun), () => {})
      await clock.run(1_000)
    }
    const given = accepted.filter(({ method }) => method === 'b').length / accepted.length
    t.ok(Math.abs(given - share) < 0.02, `${given} for ${behind}`)
    t.ok(waits.length === 9 && Math.max(...waits) < 500, `${Math.max(...waits)} ms for the state`)
  }
})

test('a limit of all calls is told from one of a method, though one method makes nearly all of them', async t => {
  // nodes that count by method say for how long they want silence
  const limits: Array<Limit & { retryAfter?: number, stated?: number }> = [
    { calls: 50, windowMs: 1_000 }, { calls: 10, windowMs: 1_000 },
    { calls: 10, windowMs: 10_000, method: '*', retryAfter: 10 },
    // a bucket of one token
    { calls: 1, windowMs: 100 }, { calls: 1, windowMs: 100, stated: 10 }
  ]
  for (const { retryAfter, stated, ...limit } of limits) {
    const { clock, send, between, accepted } = setUp(
      { limits: [limit], jitter: 10, ...(retryAfter !== undefined && { retryAfter }) }, stated
    )
    send(20_000).catch(() => {})
    for (let at = 0; at < 400; at++) {
      await clock.run(500)
      for (const method of at % 16 === 0
        ? ['getSlot', 'getProgramAccounts']
        : at % 4 === 0 ? ['getSignaturesForAddress'] : []) send(1, method, 'head').catch(() => {})
    }
    const { refused } = between(40_000, 200_000)
    const most = limit.calls / limit.windowMs * 160_000
    const reading = accepted.filter(({ at, method }) => at > 40_000 && method === 'getTransaction').length
    const others = accepted.filter(({ at, method }) => at > 40_000 && method !== 'getTransaction').length
    t.ok(
      (limit.method === undefined ? reading + others : reading) >= 0.75 * most,
      `${reading} of ${most}, and ${others} others`
    )
    t.ok(refused < 0.02 * most, `${refused} refused`)
    // some wait out the last silence
    t.ok(others >= (retryAfter === undefined ? 98 : 95), `${others} of 100 others`)
  }
})

test('a method that is limited is held to that, also while more of other methods is asked', async t => {
  const limits = [{ calls: 10, windowMs: 10_000, method: 'getTransaction' }]
  const { clock, send, between, accepted } = setUp({ limits, retryAfter: 10 })
  send(20_000).catch(() => {})
  for (let at = 0; at < 600; at++) {
    await clock.run(500)
    if (at > 20) send(1, 'getMultipleAccounts', 'live').catch(() => {})
  }
  const reading = accepted.filter(({ at, method }) => at > 40_000 && method === 'getTransaction').length
  const { refused } = between(40_000, 300_000)
  t.ok(reading >= 0.8 * 260, `${reading} of 260`)
  t.ok(refused < 0.03 * 260, `${refused} refused`)
})

test('a limit of a method that no header states does not lower the others, which make most of the calls', async t => {
  const limits = [{ calls: 10, windowMs: 10_000, method: 'getTransaction' }]
  const { clock, send, accepted } = setUp({ limits, retryAfter: 10 })
  send(20_000, 'getTransaction', 'day').catch(() => {})
  for (let second = 0; second < 300; second++) {
    for (let at = 0; at < 12; at++) send(1, 'getMultipleAccounts', 'live').catch(() => {})
    await clock.run(1_000)
  }
  const others = accepted.filter(({ at, method }) => at > 60_000 && method === 'getMultipleAccounts').length
  t.ok(others >= 0.9 * 12 * 240, `${others} of ${12 * 240}`)
})

test('a limit of all calls that asks for silence is not taken for one of the method that makes most', async t => {
  for (const { calls, fixed } of [{ calls: 6, fixed: true }, { calls: 8, fixed: false }, { calls: 15, fixed: false }]) {
    const { clock, send, between } = setUp({ limits: [{ calls, windowMs: 1_000 }], fixed, retryAfter: 1, jitter: 20 })
    send(20_000).catch(() => {})
    for (let at = 0; at < 100; at++) {
      const methods = at % 4 === 0
        ? ['getAccountInfo', 'getSignaturesForAddress', 'getProgramAccounts', 'getMultipleAccounts']
        : ['getAccountInfo', 'getSignaturesForAddress']
      for (const method of methods) send(1, method, 'head').catch(() => {})
      await clock.run(2_000)
    }
    const { accepted, refused } = between(10_000, 200_000)
    t.ok(accepted >= 0.8 * calls * 190, `${accepted} of ${calls * 190}`)
    t.ok(refused < 0.05 * accepted, `${refused} refused`)
  }
})

test('a limit that headers state is used whole, whatever was sent before they came', async t => {
  const { clock, send, between, accepted } = setUp({
    limits: [{ calls: 10, windowMs: 10_000, method: '*' }], retryAfter: 10, headers: true, latency: 500
  })
  send(1_000).catch(() => {})
  for (let at = 0; at < 25; at++) {
    await clock.run(8_000)
    for (const method of ['getProgramAccounts', 'getAccountInfo']) send(1, method, 'head').catch(() => {})
  }
  const reading = accepted.filter(({ method }) => method === 'getTransaction').length
  t.ok(reading >= 0.92 * 200, `${reading} of 200`)
  t.equal(between(0, 200_000).refused, 0)
})

test('a method that is refused for a while, among others that are not, costs these nothing afterwards', async t => {
  const limits = [{ calls: 0, windowMs: 1_000, method: 'getProgramAccounts' }]
  const { clock, send, accepted } = setUp({ limits, retryAfter: 5 })
  for (let at = 0; at < 80; at++) {
    if (at === 40) limits.pop()
    // some of each wait at the same time
    for (const method of at % 10 === 0 ? ['getProgramAccounts', 'getSlot', 'getSlot'] : ['getSlot', 'getSlot']) {
      send(1, method, 'live', 4_000).catch(() => {})
    }
    await clock.run(1_000)
  }
  const lists = accepted.filter(({ at, method }) => at > 40_000 && method === 'getProgramAccounts').length
  const slots = accepted.filter(({ at, method }) => at > 50_000 && method === 'getSlot').length
  t.ok(lists >= 3, `${lists} of 4 lists`)
  t.ok(slots >= 48, `${slots} of 60 others, from ten seconds on`)
})

test('a method that is often refused, with or without a silence, costs the others next to nothing', async t => {
  for (const retryAfter of [undefined, 1]) {
    const limit = { calls: 0, windowMs: 1_000, method: 'getProgramAccounts' }
    const { clock, send, rate, accepted } = setUp({ limits: [limit], ...(retryAfter !== undefined && { retryAfter }) })
    let [waits, longest] = [0, 0]
    for (let second = 0; second < 300; second++) {
      limit.calls = second % 5 < 3 ? 0 : 1_000
      if (second % 7 === 0) send(1, 'getProgramAccounts', 'live', 4_000).catch(() => {})
      const begun = clock.now()
      for (const method of ['getAccountInfo', 'getSignaturesForAddress', 'getTransaction', 'getTransaction']) {
        send(1, method, 'head').then(() => {
          longest = Math.max(longest, clock.now() - begun)
          waits += clock.now() - begun
        }, () => {})
      }
      await clock.run(1_000)
    }
    const others = accepted.filter(({ method }) => method !== 'getProgramAccounts').length
    t.ok(others >= 1_190 && rate.waitForAll(1) === 0, `${others} of 1,200`)
    t.ok(waits / 1_200 < (retryAfter === undefined ? 150 : 300), `${waits / 1_200} ms each, ${longest} at most`)
  }
})

test('a node that refused everything for longer than nodes count is asked as before', async t => {
  const limits = [{ calls: 0, windowMs: 1_000 }]
  const { clock, send, accepted } = setUp({ limits, retryAfter: 5 })
  for (let at = 0; at < 120; at++) {
    if (at === 78) limits.pop()
    for (const method of at % 10 === 0 ? ['getProgramAccounts', 'getMultipleAccounts', 'getSlot'] : ['getSlot']) {
      send(1, method, 'live', 4_000).catch(() => {})
    }
    await clock.run(1_000)
  }
  const after = accepted.filter(({ at }) => at > 90_000).length
  t.ok(after >= 34, `${after} of 36`)
})

test('after outages told by refusals, what has gathered is not asked as slowly as it was idle', async t => {
  const outages = [undefined, 1, 5].flatMap(
    retryAfter => [3, 5, 8, 12, 24, 50].map(seconds => ({ retryAfter, seconds }))
  )
  for (const { retryAfter, seconds } of outages) {
    const limits: Limit[] = []
    const { clock, send } = setUp({ limits, ...(retryAfter !== undefined && { retryAfter }) })
    const rest = async (time: number) => {
      for (let second = 0; second < time; second++) {
        const methods = second % 2 === 0 ? ['getAccountInfo', 'getSignaturesForAddress'] : []
        for (const method of methods) send(1, method, 'head').catch(() => {})
        if (second % 4 === 0) send(1, 'getProgramAccounts', 'live', 10_000).catch(() => {})
        await clock.run(1_000)
      }
    }
    for (const outage of ['the first', 'the second']) {
      await rest(120)
      limits.push({ calls: 0, windowMs: 1_000 })
      await rest(seconds)
      limits.pop()
      const begun = clock.now()
      const took = send(40, 'getTransaction', 'head').then(() => clock.now() - begun)
      await clock.run(60_000)
      t.ok(await took <= 10_000, `${await took} ms after ${outage} of ${seconds} s, Retry-After ${retryAfter}`)
    }
  }
})

test('an outage told by refusals that lowers all calls lowers no method beside', async t => {
  const clock = createVirtualTime()
  const rate = createRate(clock)
  const accept = (method: string, calls = 1) => { rate.accept(method, calls, clock.now()) }
  for (const outage of ['the first', 'the second']) {
    accept('getMultipleAccounts')
    for (let second = 0; second < 5; second++) {
      await clock.run(1_000)
      accept('getTransaction', 20)
    }
    await clock.run(500)
    for (const method of ['getTransaction', 'getMultipleAccounts']) rate.refuse(method, clock.now())
    await clock.run(4_000)
    accept('getTransaction')
    const lowered = rate.perSecond()
    t.ok(lowered < 20, `${lowered} calls a second after ${outage}`)
    await clock.run(500)
    // seldom called, and so the last to be tried again
    accept('getMultipleAccounts')
    t.equal(rate.perSecond(), lowered)
  }
})

test('a limit that is none is not believed', t => {
  const rate = createRate(createVirtualTime())
  for (const limit of ['-1', '0', 'unlimited']) rate.readHeaders('getSlot', { 'x-ratelimit-method-limit': limit })
  t.equal(rate.perSecond(), 10)
  rate.readHeaders('getSlot', { 'x-ratelimit-method-limit': '50' })
  t.equal(rate.perSecond().toFixed(1), '4.7')
  t.end()
})

test('what is refused makes no rate grow, however often it is sent', async t => {
  const clock = createVirtualTime()
  const rate = createRate(clock)
  for (let i = 0; i < 200; i++) {
    for (let sent = 0; sent < 5 && rate.waitForAll(1) === 0; sent++) {
      rate.spend('getSlot')
      rate.refuse('getSlot', clock.now(), 0)
    }
    await clock.run(100)
  }
  t.equal(rate.perSecond(), 10)
})

test('what is stated is used from the start, and never exceeded', async t => {
  const { clock, send, between, requests } = setUp({ limits: [{ calls: 100, windowMs: 1_000 }] }, 100)
  send(10_000).catch(() => {})
  await clock.run(30_000)
  t.ok(between(0, 30_000).accepted >= 0.9 * 3_000, `${between(0, 30_000).accepted} of 3,000`)
  t.equal(between(0, 30_000).refused, 0)
  t.equal(Math.max(...requests.map(({ size }) => size)), 4)
})

test('a batch is at most a twentieth of the calls of a second, and one where these are few', async t => {
  const { clock, send, requests } = setUp({ limits: [{ calls: 10, windowMs: 1_000 }] })
  send(1_000).catch(() => {})
  await clock.run(20_000)
  t.ok(requests.every(({ at, size }) => size <= (at < 5_000 ? 2 : 1)))
})

test('every call is answered once, in order, whatever is refused meanwhile', async t => {
  const { clock, send } = setUp({ limits: [{ calls: 20, windowMs: 1_000 }], jitter: 200 })
  const replies = send(500)
  await clock.run(60_000)
  t.equal((await replies).filter(reply => 'result' in reply).length, 500)
})

test('a limit that is raised is found, and so is one that is lowered', async t => {
  const limit = { calls: 10, windowMs: 1_000 }
  const { clock, send, between } = setUp({ limits: [limit] })
  send(100_000).catch(() => {})
  await clock.run(30_000)
  limit.calls = 50
  await clock.run(150_000)
  t.ok(between(150_000, 180_000).accepted > 0.6 * 50 * 30, `${between(150_000, 180_000).accepted / 30} of 50 a second`)
  limit.calls = 5
  await clock.run(60_000)
  const { accepted, refused } = between(200_000, 240_000)
  t.ok(accepted > 0.7 * 5 * 40 && refused < 0.05 * accepted, `${accepted / 40} of 5 a second, ${refused} refused`)
})

test('a limit that is lifted, or shared with others who are gone, is found by doubling, not by creeping', async t => {
  // per second
  for (const { few, many, windowMs, retryAfter, withinMs } of [
    { few: 10, many: 200, windowMs: 1_000, withinMs: 60_000 },
    { few: 4, many: 400, windowMs: 1_000, withinMs: 60_000 },
    { few: 1, many: 40, windowMs: 10_000, retryAfter: 10, withinMs: 120_000 }
  ]) {
    const limit = { calls: many * windowMs / 1000, windowMs }
    const { clock, send, between } = setUp({ limits: [limit], ...(retryAfter !== undefined && { retryAfter }) })
    send(200_000).catch(() => {})
    await clock.run(60_000)
    limit.calls = few * windowMs / 1000
    await clock.run(180_000)
    limit.calls = many * windowMs / 1000
    const since = clock.now() + withinMs
    await clock.run(withinMs + 30_000)
    const { accepted, refused } = between(since, since + 30_000)
    t.ok(accepted > 0.75 * many * 30, `${(accepted / 30).toFixed(1)} of ${many} a second`)
    t.ok(refused < 0.05 * accepted, `${refused} of ${accepted + refused} refused`)
  }
})

test('what can\'t be sent in time comes back at once, with the seconds to wait', async t => {
  const { clock, send, pace } = setUp({ limits: [{ calls: 1, windowMs: 10_000 }], retryAfter: 10 })
  send(5).catch(() => {})
  await clock.run(3_000)
  const begun = clock.now()
  const [reply] = await Promise.all([send(1, 'getSlot', 'live', 1_000), clock.run(1_500)]).then(([replies]) => replies)
  t.match(reply, { error: { code: 'NODE_UNAVAILABLE', retryAfter: Number } })
  t.ok(clock.now() - begun <= 1_500)
  t.match(pace.state(), { refused: Number, waiting: Number })
})

test('a rate that fell to a few calls in half a minute is found again: what spoke for it is over', async t => {
  const limits = [{ calls: 3, windowMs: 30_000 }]
  const { clock, send, between } = setUp({ limits, retryAfter: 1 })
  send(20_000).catch(() => {})
  await clock.run(120_000)
  limits.length = 0
  await clock.run(300_000)
  const { accepted } = between(120_000, 420_000)
  t.ok(accepted > 600, `${accepted} in five minutes`)
})

test('who refuses everything for a while is down: the rate does not fall to nothing by it', async t => {
  const limit = { calls: 100, windowMs: 1_000 }
  const { clock, send, between } = setUp({ limits: [limit] })
  send(100_000).catch(() => {})
  await clock.run(30_000)
  for (let i = 0; i < 5; i++) send(1, 'getMultipleAccounts', 'live').catch(() => {})
  limit.calls = 0
  await clock.run(40_000)
  limit.calls = 100
  await clock.run(30_000)
  const { accepted } = between(82_000, 100_000)
  t.ok(accepted > 0.15 * 100 * 18, `${accepted / 18} of 100 a second`)
})

test('a quiet node that refused everything for seconds is soon asked for all that is wanted', async t => {
  const limit = { calls: 1_000, windowMs: 1_000 }
  const { clock, send, between } = setUp({ limits: [limit], retryAfter: 3 })
  for (const from of [30_000, 100_000, 170_000]) {
    for (let at = clock.now(); at < from; at += 1_000) {
      send(1).catch(() => {})
      await clock.run(1_000)
    }
    limit.calls = 0
    send(4).catch(() => {})
    await clock.run(15_000)
    limit.calls = 1_000
  }
  for (let i = 0; i < 360; i++) {
    send(1, i % 2 === 0 ? 'getTransaction' : 'getSignaturesForAddress', 'head').catch(() => {})
    await clock.run(250)
  }
  const { accepted } = between(245_000, 275_000)
  t.ok(accepted >= 110, `${accepted} of 120 in half a minute`)
})

test('a method that a plan lacks, said by 403, is not asked again, however fast the node is', async t => {
  const { clock, send } = setUp({
    limits: [{ calls: 0, windowMs: 1_000, method: 'getTransactionsForAddress' }], status: 403
  })
  send(1_000).catch(() => {})
  await clock.run(2_000)
  let reply: Reply | undefined
  send(1, 'getTransactionsForAddress', 'live').then(([first]) => { reply = first }).catch(() => {})
  await clock.run(100)
  t.match(reply, { error: { message: 'node node answered HTTP 403' } })
})

test('a node that answers 503 to everything is out: at once if little is asked, within seconds if much', async t => {
  for (const [calls, ms, silence] of [[1, 100], [1_000, 2_000], [1_000, 100, { retryAfter: 3_600 }]] as const) {
    const limit = { calls: 1_000, windowMs: 1_000 }
    const { clock, send } = setUp({ limits: [limit], status: 503, ...silence })
    send(calls).catch(() => {})
    await clock.run(3_000)
    limit.calls = 0
    const replies = send(1, 'getSlot', 'live')
    let isFailed = false
    replies.then(([reply]) => { isFailed = reply!.error !== undefined }).catch(() => {})
    await clock.run(ms)
    t.ok(isFailed, `${calls} calls before`)
  }
})

test('each slow method is waited for as long as it takes, while others are answered', async t => {
  const clock = createVirtualTime()
  const takes: Record<string, number> = { getProgramAccounts: 18_000, getSignaturesForAddress: 8_000 }
  const { send } = createQueue(async (calls, ms) => {
    const took = takes[calls[0]!.method] ?? 40
    await clock.sleep(Math.min(ms, took))
    const late = nodeError('node', 'timeout', 'is late')
    return calls.map(() => took > ms ? { error: late } : { result: 1 })
  }, { host: 'node', clock, rate: createRate(clock, 100), callMs: 5_000, largestBatch: 50 })
  const answered = new Map<string, number>()
  const ask = async (method: string): Promise<void> => {
    const { signal } = new AbortController()
    const [reply] = await send([{ method, params: [] }], { priority: 'head', signal })
    if ('result' in reply!) answered.set(method, (answered.get(method) ?? 0) + 1)
    if (method !== 'getSlot') await ask(method)
  }
  for (const method of Object.keys(takes)) ask(method).catch(() => {})
  for (let second = 0; second < 120; second++) {
    ask('getSlot').catch(() => {})
    await clock.run(1_000)
  }
  t.ok(answered.get('getSignaturesForAddress')! >= 12)
  t.equal(answered.get('getProgramAccounts'), 5)
})

test('a list that is late, while nothing that was sent after it is answered, is no slow one', async t => {
  const clock = createVirtualTime()
  const { send, limitOf } = createQueue(async (calls, ms) => {
    const isBefore = clock.now() < 1_000
    await clock.sleep(isBefore ? 2_000 : ms)
    return calls.map(() => isBefore ? { result: 1 } : { error: nodeError('node', 'timeout', 'is late') })
  }, { host: 'node', clock, rate: createRate(clock), callMs: 5_000, largestBatch: 50 })
  const list: Call = { method: 'getProgramAccounts', params: [] }
  const { signal } = new AbortController()
  await clock.run(900)
  const before = send([{ method: 'getSlot', params: [] }], { priority: 'head', signal })
  await clock.run(200)
  send([list], { priority: 'live', signal }).catch(() => {})
  await clock.run(10_000)
  t.strictSame(await before, [{ result: 1 }])
  t.equal(limitOf([list]), 5_000)
})
