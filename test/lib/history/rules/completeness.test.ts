import { test } from 'tap'
import { type Completeness, knowledgeOf, wholeAfterOf } from '../../../../lib/history/rules/completeness.js'
import { bySignature, NOTHING_MISSING, pastOf } from '../../../support/history/knowledge.js'
import { createRandom } from '../../../../simulator/random.js'

const DAO = 'A'

test('everything is known from the earliest second after which nothing may be missing', t => {
  const random = createRandom(30)
  const second = () => random.int(50)
  for (let round = 0; round < 3_000; round++) {
    const gaps = Array.from({ length: random.int(3) }, (_, index) => {
      const since = second()
      return {
        dao: DAO,
        from: BigInt(index * 2 + 1),
        to: BigInt(index * 2 + 1),
        since,
        until: random.int(5) === 0 ? null : since + second(),
        fromSlot: since,
        toSlot: since + 5
      }
    })
    const known: Completeness = {
      ...NOTHING_MISSING,
      ...pastOf({
        walkedTo: random.int(2) === 0 ? -Infinity : second(),
        lostBefore: random.int(3) === 0 ? second() : null
      }),
      sequenceGaps: new Map([[DAO, gaps]]),
      unreadable: new Map(random.int(3) === 0 ? [[DAO, second()]] : []),
      missing: random.int(3) === 0
        ? bySignature([{ signature: 's', slot: 90 + second(), at: second(), reason: '' }])
        : new Map(),
      losses: random.int(3) === 0 ? [{ fromSlot: second(), toSlot: 60, until: second() }] : [],
      isLost: () => round % 2 === 0
    }
    const counted = [
      -Infinity, ...Array.from({ length: 110 }, (_, at) => at)
    ].find(after => knowledgeOf(known, after)(DAO) === 'whole')
    if (wholeAfterOf(known)(DAO) !== counted) {
      t.equal(
        wholeAfterOf(known)(DAO),
        counted,
        JSON.stringify(known, (_, value) => typeof value === 'bigint' ? String(value) : value as unknown)
      )
    }
  }
  t.equal(wholeAfterOf(NOTHING_MISSING)(DAO), -Infinity)
  t.equal(wholeAfterOf({ ...NOTHING_MISSING, ...pastOf({ walkedTo: Infinity }) })(DAO), undefined)
  t.end()
})
