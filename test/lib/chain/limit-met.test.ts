import { test } from 'tap'
import { createLimitFinder } from '../../../lib/chain/limit-met.js'
import { createRate } from '../../../lib/chain/rate.js'
import { createFakeClock } from '../../support/fake-clock.js'

function setUp () {
  const clock = createFakeClock()
  const all = createRate({ clock, startRate: 10 })
  const rates = { list: createRate({ clock }), slot: createRate({ clock }) }
  const limits = createLimitFinder(all)
  type Method = keyof typeof rates
  /** A call of each method that is sent now and accepted. */
  function accept (...methods: Method[]): void {
    for (const method of methods) {
      for (const rate of [all, rates[method]]) {
        rate.spend(1)
        rate.accept(clock.now())
      }
      limits.accept(method, clock.now())
    }
  }
  /** Whose limit a call that is sent now and refused has met. */
  function refuse (method: Method): 'all' | 'own' {
    const limit = limits.find(method, rates[method], clock.now())
    limit.met(clock.now(), 5)
    return limit === all ? 'all' : 'own'
  }
  return { clock, all, rates, limits, accept, refuse }
}

test('where nothing was accepted of late it is no method\'s limit', t => {
  const { clock, limits, accept, refuse } = setUp()
  t.equal(refuse('list'), 'all')
  accept('list')
  clock.advance(10_001)
  t.ok(limits.acceptsNothing(clock.now()))
  t.equal(refuse('list'), 'all')
  t.end()
})

test('what is on its way has not been accepted: neither is it a method\'s limit then, nor is anything found by it', t => {
  const { clock, all, rates, limits, accept, refuse } = setUp()
  accept('list')
  clock.advance(10_001)
  for (const rate of [all, rates.list]) rate.spend(2)
  t.ok(limits.acceptsNothing(clock.now()))
  t.equal(refuse('list'), 'all')
  t.equal(all.known(), undefined, 'a node that accepts nothing tells no limit')
  t.end()
})

test('a method that makes half of the calls has met its own limit, one that makes fewer that of all', t => {
  const { accept, refuse } = setUp()
  accept('list', 'slot')
  t.equal(refuse('list'), 'own')
  accept('slot')
  t.equal(refuse('list'), 'all')
  t.end()
})

test('a method that is refused three times in a row, others being accepted, has a limit of its own: what was found for all is taken back', t => {
  const { clock, all, accept, refuse } = setUp()
  accept('slot', 'slot')
  const found = []
  for (let time = 0; time < 4; time++) {
    clock.advance(1_000)
    found.push(refuse('list'))
    clock.advance(1_000)
    accept('slot')
  }
  t.same(found, ['all', 'all', 'own', 'own'])
  t.equal(all.known(), undefined)
  accept('list')
  accept('slot', 'slot', 'slot')
  t.equal(refuse('list'), 'all', 'once it has been accepted it begins anew')
  t.end()
})

test('but not while no other is accepted, nor where another is refused in between', t => {
  const alone = setUp()
  alone.accept('slot', 'slot', 'slot')
  alone.clock.advance(1_000)
  t.same([1, 2, 3, 4].map(() => alone.refuse('list')), ['all', 'all', 'all', 'all'])
  const both = setUp()
  both.accept('slot', 'slot', 'slot', 'slot', 'slot', 'slot')
  const found = []
  for (let time = 0; time < 3; time++) {
    both.clock.advance(100)
    found.push(both.refuse('list'))
    both.accept('slot')
    both.limits.find('slot', both.rates.slot, both.clock.now())
    both.limits.find('other', createRate({ clock: both.clock }), both.clock.now())
  }
  t.same(found, ['all', 'all', 'all'])
  t.end()
})
