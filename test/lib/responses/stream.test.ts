import { setImmediate } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import type { PoolEvent } from '../../../lib/history/history.js'
import type { PoolEventsQuery } from '../../../lib/history/store/types.js'
import type { Snapshot } from '../../../lib/live/snapshot.js'
import type { Sources } from '../../../lib/responses/sources.js'
import { createStream } from '../../../lib/responses/stream.js'
import { createFakeClock } from '../../support/fake-clock.js'

type Options = Parameters<typeof createStream>[0]
type Asked = Parameters<ReturnType<typeof createStream>['follow']>[0]

const NOW = 5_000

/** A stream that looks when it is woken. */
function setUp (t: Test, kept: Pick<Options, 'tickers' | 'proposals'>, own: Partial<{
  slot: number, events: PoolEvent[], snapshot: Sources['snapshot']
}> = {}) {
  const clock = createFakeClock()
  let wake = () => {}
  const reading = {
    published: () => ({ slot: own.slot ?? 7 }),
    poolEvents: ({ from, to, after }: PoolEventsQuery) =>
      (own.events ?? []).filter(({ slot }) => slot <= to && (after === undefined ? slot >= from : slot > after.slot))
  }
  const history = {
    published: async (of: (from: typeof reading) => unknown) => of(reading), head: () => ({ time: 1_000 })
  }
  const stream = createStream({
    sources: {
      history,
      settings: { excluded: new Set() },
      snapshot: own.snapshot,
      now: () => NOW,
      time: { utc: () => 1e6, age: (time: number) => 1e6 - 1_000 * time }
    } as unknown as Sources,
    clock: { ...clock, sleep: () => new Promise(resolve => { wake = resolve }) },
    ...kept,
    onError: error => { t.fail('no error', { error }) }
  })
  const settle = async () => { for (let turn = 0; turn < 5; turn++) await setImmediate() }
  return {
    clock,
    async look () {
      wake()
      await settle()
    },
    async come (types: Asked['types'], asked: Partial<Asked> = {}) {
      const listener = {
        isOpen: true,
        texts: [] as string[],
        /** What it takes; it takes all of it at once, unless told otherwise. */
        taken: Promise.resolve(),
        writes: 0,
        write (text: string) {
          listener.writes++
          listener.texts.push(...text.split('\n\n').filter(part => part !== ''))
        },
        drained: () => listener.taken,
        marks: () => listener.texts.filter(text => text.startsWith(':')).length,
        /** What has been told since it was last asked. */
        told: () => listener.texts.splice(0).flatMap(text =>
          /data: (.*)/.exec(text)?.slice(1).map(data => JSON.parse(data)) ?? [])
      }
      await stream.follow({ types, pools: undefined, proposals: undefined, after: undefined, ...asked }, listener)
      await settle()
      return listener
    }
  }
}
const nothing = { tickers: async () => ({ tickers: [] }), proposals: async () => [] } as unknown as
  Pick<Options, 'tickers' | 'proposals'>
/** Read at `NOW`, of a chain's time of so many seconds before. */
const readOf = (seconds: number) => ({ time: 1_000 - seconds, readAt: NOW, commitment: 'confirmed' as const })
const BACK = { slot: 7, blockIndex: 1, eventIndex: 1 }

test('signs of life come at one pace, however often the last one has left and another has come', async t => {
  const { clock, look, come } = setUp(t, nothing)
  for (let visit = 0; visit < 5; visit++) {
    const listener = await come(new Set(['trade']))
    listener.isOpen = false
    await look()
    t.equal(clock.timers(), 0, 'for nobody there is none')
    clock.advance(4_000)
  }
  const listener = await come(new Set(['trade']))
  for (let second = 0; second < 150; second++) clock.advance(1_000)
  t.equal(listener.marks(), 1 + 10)
})

test('who comes is told what changes, who comes back what is, then what changes, each once', async t => {
  const pools = Array.from({ length: 120 }, (_, index) => ({ pool_id: `p${index}`, last_price: '1' }))
  let list = { tickers: pools }
  let isDown = true
  const { look, come } = setUp(t, {
    ...nothing,
    tickers: (async () => {
      if (isDown) throw new ServiceError('WARMING_UP', 'not yet')
      return list
    }) as unknown as Options['tickers']
  })
  const [first, resumed] = [await come(new Set(['ticker'])), await come(new Set(['ticker']), { after: BACK })]
  t.same(resumed.told(), [], 'what can\'t be had')
  isDown = false
  await look()
  t.same(resumed.told(), pools, 'is told once it can')
  t.same(first.told(), pools, 'and to who may have seen what was before')
  await look()
  t.same([first.told(), resumed.told()], [[], []])
  const changed = { pool_id: 'p7', last_price: '2' }
  list = { tickers: pools.map(one => one.pool_id === 'p7' ? changed : one) }
  const back = await come(new Set(['ticker']), { after: BACK, pools: new Set(['p7', 'p8']) })
  await look()
  t.same([first.told(), resumed.told()], [[changed], [changed]])
  const late = await come(new Set(['ticker']))
  await look()
  t.same(late.told(), [])
  t.same(back.told(), [changed, pools[8]], 'what changed while he was away, and what may have')
  await look()
  t.same([first.told(), back.told()], [[], []])

  let take = () => {}
  const slow = await come(new Set(['ticker']), { after: BACK })
  slow.taken = new Promise(resolve => { take = resolve })
  await look()
  t.equal(slow.texts.length, 1 + 50, 'no more than he takes')
  list = { tickers: pools }
  await look()
  t.same(first.told(), [pools[7]])
  t.equal(slow.texts.length, 1 + 50)
  take()
  await look()
  t.same(slow.told(), [...pools.map(one => one.pool_id === 'p7' ? changed : one), pools[7]], 'the newest comes last')
})

const ticker = (pool: string, price: string) => ({ pool_id: pool, last_price: price })

/** Tickers of a state as old as `now.age`, seconds. */
const setUpTickers = (t: Test, now: { age: number, tickers: Array<ReturnType<typeof ticker>> }) => setUp(t, {
  ...nothing,
  tickers: (async parts => {
    parts.push(readOf(now.age))
    return { tickers: now.tickers }
  }) as Options['tickers']
})

test('what is made of an old state is told once there is a current one', async t => {
  const now = { age: 1, tickers: [ticker('p1', '1')] }
  const { look, come } = setUpTickers(t, now)
  const first = await come(new Set(['ticker']))
  Object.assign(now, { age: 20, tickers: [ticker('p1', '2')] })
  const back = await come(new Set(['ticker']), { after: BACK })
  await look()
  t.same([first.told(), back.told()], [[], []])
  now.age = 2
  await look()
  t.same([first.told(), back.told()], [now.tickers, now.tickers])
})

test('who comes while other answers show an old state is told what has changed since', async t => {
  const [same, changed] = [ticker('p1', '1'), ticker('p2', '2')]
  const now = { age: 20, tickers: [same, ticker('p2', '1')] }
  const { look, come } = setUpTickers(t, now)
  const first = await come(new Set(['ticker']))
  await look()
  const second = await come(new Set(['ticker']))
  await look()
  t.same([first.told(), second.told()], [[], []])
  Object.assign(now, { age: 1, tickers: [same, changed] })
  await look()
  t.same([first.told(), second.told()], [[changed], [changed]])
})

test('a trade of a pool that the state is too old to know waits for a younger one; of none it is left out', async t => {
  const swap = { side: 'buy', input: 10n, output: 10n, fee: 0n }
  const event = (slot: number, dao: string) => ({
    dao, slot, swap, seq: 1n, at: 1_000, signature: 's', blockIndex: 0, eventIndex: 0, maker: 'm', reserves: null
  }) as unknown as PoolEvent
  const token = { decimals: 0 }
  const old = { slot: 8, daos: new Map(), tokens: new Map([['b', token], ['q', token]]) }
  let state = old as unknown as Snapshot
  const own = {
    slot: 7,
    events: [] as PoolEvent[],
    snapshot: { peek: () => ({ value: state }), get: async () => state } as unknown as Sources['snapshot']
  }
  const { look, come } = setUp(t, nothing, own)
  const listener = await come(new Set(['trade']))
  own.events = [event(9, 'new'), event(10, 'undecodable')]
  own.slot = 10
  await look()
  t.same(listener.told(), [])
  state = { ...old, slot: 10, daos: new Map([['new', { baseMint: 'b', quoteMint: 'q' }]]) } as unknown as Snapshot
  await look()
  t.match(listener.told(), [{ pool_id: 'new' }])
  await look()
  t.same(listener.told(), [])
})

test('what is published between two looks is written at once to each, and is what he asks for', async t => {
  const event = (index: number) => ({
    dao: `p${index % 2}`,
    slot: 9,
    swap: { side: 'buy', input: 10n, output: 10n, fee: 0n },
    seq: BigInt(index),
    at: 1_000,
    signature: 's',
    blockIndex: index,
    eventIndex: 0,
    maker: 'm',
    reserves: null
  }) as unknown as PoolEvent
  const token = { decimals: 0 }
  const state = {
    daos: new Map(['p0', 'p1'].map(pool => [pool, { baseMint: 'b', quoteMint: 'q' }])),
    tokens: new Map([['b', token], ['q', token]])
  }
  const own = {
    slot: 7,
    events: [] as PoolEvent[],
    snapshot: { peek: () => ({ value: state }) } as unknown as Sources['snapshot']
  }
  const { look, come } = setUp(t, nothing, own)
  const all = await come(new Set(['trade']))
  const some = await come(new Set(['trade']), { pools: new Set(['p1']) })
  const none = await come(new Set(['trade']), { pools: new Set(['p2']) })
  const before = [all, some, none].map(({ writes }) => writes)
  Object.assign(own, { slot: 9, events: Array.from({ length: 400 }, (_, index) => event(index)) })
  await look()
  t.same([all, some, none].map(({ writes }, at) => writes - before[at]!), [1, 1, 0])
  const ids = (listener: typeof all) => listener.told().map(({ trade_id: id }) => Number(id))
  const every = Array.from({ length: 400 }, (_, index) => index)
  t.same([ids(all), ids(some), ids(none)], [every, every.filter(index => index % 2 === 1), []])
  await look()
  t.same([ids(all), ids(some), ids(none)], [[], [], []])
})

test('who comes back is told the proposals that he asks for, decided ones among them, and no gap', async t => {
  const known = ['draft', 'pending', 'passed'].map((state, number) =>
    ({ proposal: { address: state, dao: 'd', number, state } }))
  const { look, come } = setUp(t, { ...nothing, proposals: (async () => known) as unknown as Options['proposals'] })
  const came = [
    await come(new Set(['proposal'])),
    await come(new Set(['proposal']), { after: BACK }),
    await come(new Set(['proposal']), { after: BACK, proposals: new Set(['passed']) }),
    await come(new Set(['proposal']), { after: BACK, pools: new Set(['other']) }),
    // trades, of which he has missed some, he does not ask for
    await come(new Set(['proposal']), { after: { ...BACK, slot: 1e9 }, proposals: new Set(['draft']) })
  ]
  await look()
  t.same(
    came.map(one => one.told().map(({ state }) => state)),
    [[], ['draft', 'pending', 'passed'], ['passed'], [], ['draft']]
  )
})
