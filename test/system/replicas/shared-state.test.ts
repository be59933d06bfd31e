import type { FastifyInstance } from 'fastify'
import { test, type Test } from 'tap'
import { ALL } from '../../../lib/responses/sources.js'
import { createLedger, type Ledger, type SimulatedNode, startNode } from '../../../simulator/index.js'
import { build, settings } from '../../helper.js'
import { ask, newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { until } from '../../support/until.js'

const skip = await withoutPostgres()
const PATIENCE_MS = 40_000

interface Process { app: FastifyInstance, node: SimulatedNode }

const slotOf = async ({ app }: Process, maxAge?: number) => (await app.cache.snapshot.get(ALL, maxAge)).value.slot
/** How often a process has asked its node for the state. */
const readsOf = ({ node }: Process) => node.calls.getProgramAccounts ?? 0
const readsOfAll = (processes: readonly Process[]) => processes.reduce((sum, process) => sum + readsOf(process), 0)

/** A chain that goes on by the clock, with a node for each process, so that it is seen who asks. */
async function setUp (t: Test) {
  const { url, schema } = newPlace(t)
  const ledger: Ledger = createLedger({ seed: 12, time: Math.floor(Date.now() / 1000) - 600 })
  const usdc = ledger.usdc()
  for (let at = 0; at < 3; at++) ledger.dao({ base: ledger.mint(), quote: usdc, quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n })
  const follow = () => ledger.advance(Math.max(0, Date.now() / 1000 - ledger.time))
  follow()
  const going = setInterval(follow, 100)
  t.teardown(() => clearInterval(going))

  async function start (role: 'all' | 'api'): Promise<Process> {
    const node = await startNode(ledger)
    t.teardown(() => node.close())
    return { node, app: await build(t, { env: settings(t, node, ledger, { DATABASE_URL: url, ROLE: role }) }) }
  }
  /** -1 where nothing has been published. */
  const publishedSlot = async (): Promise<number> => Number((await ask(`select slot from "${schema}".shared_state`))[0]?.slot ?? -1)
  /** Until a newer state is published than that of `slot`; gives its slot. */
  async function publishedAfter (slot: number): Promise<number> {
    await until(`a state newer than slot ${slot} is published`, async () => await publishedSlot() > slot, PATIENCE_MS)
    return await publishedSlot()
  }
  return { ledger, start, publishedSlot, publishedAfter }
}

test('the state is read once for all, by the process that leads, and by each for itself where that fails', { skip, timeout: 500_000 }, async t => {
  const { ledger, start, publishedSlot, publishedAfter } = await setUp(t)
  const leader = await start('all')
  await until('it leads', () => leader.app.history.status().leads === true, PATIENCE_MS)
  const followers = await Promise.all([start('api'), start('api')])
  const follower = followers[0]!
  await publishedAfter(-1)

  // On a machine that is late a follower may read for itself: what must come is a whole life of the state in which none does.
  // Nobody asks the leader meanwhile.
  await until('a refresh costs one call in all', async () => {
    const from = await publishedSlot()
    const [own, all] = [readsOfAll(followers), readsOfAll([leader, ...followers])]
    const steady = setInterval(() => { for (const { app } of followers) app.inject('/api/tickers').catch(t.fail) }, 100)
    const slot = await publishedAfter(from).finally(() => clearInterval(steady))
    for (const follower of followers) await until('the followers show it', async () => await slotOf(follower, 0) >= slot)
    return readsOfAll(followers) === own && readsOfAll([leader, ...followers]) - all === 1
  }, 90_000)
  const ages = followers.map(({ app }) => app.cache.snapshot.peek(ALL)!.age)
  t.ok(ages.every(age => age > 0 && age < 10_000), `${ages.join(' and ')} ms old`)

  leader.node.freeze()
  const stood = ledger.slot
  await until('the leader\'s node stands, and the follower reads its own', async () => await slotOf(follower, 0) > stood + 5, PATIENCE_MS)
  const { value: { slot }, age } = follower.app.cache.snapshot.peek(ALL)!
  t.ok(age < 10_000 && slot > await slotOf(leader), 'and shows what is newer than what the leader knows')
  leader.node.thaw()
  await until('the leader goes on', async () => await slotOf(leader, 0) > slot && await publishedSlot() > slot, PATIENCE_MS)

  await leader.app.close()
  const [last, own] = [await publishedSlot(), readsOf(follower)]
  await until('without a leader the follower reads its node', async () => await slotOf(follower, 0) > last && readsOf(follower) > own, PATIENCE_MS)
  t.equal(await publishedSlot(), last, 'and publishes nothing')

  const next = await start('all')
  await until('the next leader publishes', async () => await slotOf(next, 0) > last && await publishedSlot() > last, PATIENCE_MS)
  await until('the follower takes it', async () => {
    const own = readsOf(follower)
    await slotOf(next, 0)
    return await slotOf(follower, 0) === await publishedSlot() && readsOf(follower) === own
  }, PATIENCE_MS)
})
