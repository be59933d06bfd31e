import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { systemClock } from '../../../../lib/clock.js'
import type { LogEvent } from '../../../../lib/history/log-events.js'
import { type LeaderSession, runLeaderLoop } from '../../../../lib/history/replicas/leader.js'
import { until } from '../../../support/until.js'

/** A lock that any number of sessions ask for. */
function createLock () {
  let holder: object | undefined
  return {
    open (): LeaderSession & { cut (): void } {
      const gone = new AbortController()
      const me = {}
      const check = () => { if (gone.signal.aborted) throw new Error('the session is gone') }
      const end = () => {
        if (holder === me) holder = undefined
        gone.abort(new Error('it was cut'))
      }
      return {
        lost: gone.signal,
        async tryToLead () {
          check()
          holder ??= me
          return holder === me
        },
        async release () { end() },
        cut: end
      }
    }
  }
}

/**
 * `currentFor`: looks for which it is at the head once it leads; `refusal`: why it must not, once it does; `speed`: of
 * its clock.
 */
function contender (
  lock: ReturnType<typeof createLock>, currentFor = Infinity, refusal: string | null = null, speed = 1
) {
  const stop = new AbortController()
  let looks = 0
  const seen = { leads: 0, begun: 0, sessions: [] as Array<ReturnType<typeof lock.open>>, log: [] as LogEvent[] }
  const ended = runLeaderLoop({
    open: async () => {
      const session = lock.open()
      seen.sessions.push(session)
      return session
    },
    async begin () {
      seen.leads++
      seen.begun++
      return async () => { seen.leads-- }
    },
    isCurrent: () => seen.leads > 0 && looks++ < currentFor,
    refusal: () => seen.begun > 0 ? refusal : null,
    heartbeatMs: 5,
    clock: { ...systemClock, now: () => systemClock.now() * speed },
    signal: stop.signal,
    onLog: event => seen.log.push(event)
  })
  return { seen, stop: async () => { stop.abort(); await ended } }
}

test('one of several leads; another takes over when its session is lost, and when it ends', async t => {
  const lock = createLock()
  const all = [contender(lock), contender(lock), contender(lock)]
  const leading = () => all.filter(({ seen }) => seen.leads > 0)
  await until('one leads', () => leading().length === 1)
  const [first] = leading()
  first!.seen.sessions.at(-1)!.cut()
  await until(
    'somebody leads again', () => all.reduce((sum, { seen }) => sum + seen.begun, 0) === 2 && leading().length === 1
  )
  await wait(30)
  t.equal(leading().length, 1, 'and no second one')
  t.ok(first!.seen.log.some(({ message }) => message.includes('has lost the lead (it was cut)')), 'with the cause')
  await leading()[0]!.stop()
  await until('the next one leads', () => leading().length === 1)
  for (const one of all) await one.stop()
  t.equal(leading().length, 0, 'stopped, nobody leads')
})

test('who leads and falls behind the chain gives the lead to one who does not', async t => {
  const lock = createLock()
  const cutOff = contender(lock, 1)
  await until('it leads', () => cutOff.seen.begun > 0)
  const other = contender(lock)
  await until('the other leads', () => other.seen.leads === 1)
  t.equal(cutOff.seen.leads, 0)
  for (const one of [cutOff, other]) await one.stop()
})

test('who must not lead, as it comes to know, leaves the lead for good', async t => {
  const lock = createLock()
  const wrong = contender(lock, 0, 'of another network')
  await until('it has led', () => wrong.seen.begun > 0 && wrong.seen.leads === 0)
  t.ok(wrong.seen.log.some(({ message }) => message.includes('has lost the lead (of another network)')))
  const right = contender(lock)
  await until('the other leads', () => right.seen.leads === 1)
  await right.stop()
  await wait(60)
  t.equal(wrong.seen.begun, 1)
  await wrong.stop()
})

test('who does not come to the head leaves the lead to one who may, ever less often', async t => {
  const lock = createLock()
  const cutOff = contender(lock, 0, null, 1_000)
  await until('it has given the lead back three times', () => cutOff.seen.begun > 3)
  const tenures = cutOff.seen.log.filter(({ code }) => code === 'leadership')
  t.ok(tenures.some(({ message }) => message.includes('has lost the lead (it is not at the head of the chain)')))
  const other = contender(lock)
  await until('the other leads', () => other.seen.leads === 1)
  t.equal(cutOff.seen.leads, 0)
  const { begun } = cutOff.seen
  for (const one of [cutOff, other]) await one.stop()
  t.ok(begun < 8, 'within seconds, of which each tenure took twice as long as the one before')
})

test('who is not at the head yet keeps the lead for a while, as where finality has stalled for all', async t => {
  const lock = createLock()
  const [first, second] = [contender(lock, 0), contender(lock, 0)]
  await until('one leads', () => first.seen.begun + second.seen.begun > 0)
  await wait(60)
  t.equal(first.seen.begun + second.seen.begun, 1)
  for (const one of [first, second]) await one.stop()
})

test('a database that can\'t be reached is tried again, and told once', async t => {
  const lock = createLock()
  const stop = new AbortController()
  const log: LogEvent[] = []
  let [tries, leads] = [0, false]
  const ended = runLeaderLoop({
    async open () {
      if (++tries < 3) throw new Error('connect refused')
      return lock.open()
    },
    async begin () {
      leads = true
      return async () => { leads = false }
    },
    isCurrent: () => true,
    refusal: () => null,
    heartbeatMs: 5,
    clock: { ...systemClock, sleep: async (ms, signal) => await systemClock.sleep(Math.min(ms, 2), signal) },
    signal: stop.signal,
    onLog: event => log.push(event)
  })
  await until('it leads', () => leads)
  stop.abort()
  await ended
  t.equal(leads, false)
  t.same(log.map(({ code }) => code), ['retry', 'leadership'])
  t.match(log[0]!.message, /the database: connect refused/)
})

test('a database that can be reached where nobody can lead is asked ever less often, and told once', async t => {
  const stop = new AbortController()
  const log: LogEvent[] = []
  const waits: number[] = []
  await runLeaderLoop({
    open: async () => ({
      lost: new AbortController().signal,
      async tryToLead (): Promise<boolean> { throw new Error('read-only') },
      async release () {}
    }),
    begin: async () => async () => {},
    isCurrent: () => true,
    refusal: () => null,
    heartbeatMs: 5,
    clock: {
      ...systemClock,
      random: () => 0.5,
      async sleep (ms) {
        waits.push(ms)
        if (waits.length === 8) stop.abort()
      }
    },
    signal: stop.signal,
    onLog: event => log.push(event)
  })
  t.ok(waits.at(-1)! > 3 * waits[0]!, waits.join())
  t.match(log, [{ message: /read-only/ }])
  t.equal(log.length, 1)
})
