import { divide, powerOfTen } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Snapshot } from '../live/snapshot.js'
import { createAggregate, type Pricing, type TradedDao } from '../market/aggregate.js'
import { missingEvents } from '../market/dao-report.js'
import { type Representation, represent } from '../representation.js'
import { ALL, JSON_TYPE, keep, type Kept, type Sources, staleAfter, unixSeconds, valuationOf } from './sources.js'

/**
 * The volume since launch, kept. Headers say whether every event is there. Throws the ServiceError of the chain, WARMING_UP until the history
 * is walked to its beginning, HISTORY_UNAVAILABLE when it is behind.
 */
export function createAggregateAnswer (sources: Sources): Kept<Representation> {
  const { snapshot: snapshots, history, settings, serialize, now } = sources
  const aggregate = createAggregate()

  function pricingOf (snapshot: Snapshot): Pricing {
    const usd = valuationOf(snapshot, settings)
    return {
      usdPerUnit (mint) {
        const [worth, token] = [usd(mint), snapshot.tokens.get(mint)]
        return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
      },
      symbolOf: mint => snapshot.tokens.get(mint)?.symbol ?? ''
    }
  }

  return keep(sources, async () => {
    const { value: snapshot } = await snapshots.get(ALL)
    const { complete: walked, headAt } = history.status()
    if (!walked) throw new ServiceError('WARMING_UP', 'the history is still being walked to its beginning')
    if (headAt === null || now() - headAt > staleAfter(settings)) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain')
    const known = new Map(snapshot.discovered.map(({ address, dao }) => [address, dao]))
    const report = history.report()
    const daos: TradedDao[] = []
    let missing = 0n
    let complete = true
    for (const [address, { launchedAt, days, complete: whole }] of await history.daily()) {
      if (settings.excluded.has(address)) continue
      missing += missingEvents(report.get(address))
      const dao = known.get(address)
      complete &&= whole && dao !== undefined
      if (dao !== undefined) daos.push({ address, baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days })
    }
    const record = aggregate(daos, pricingOf(snapshot), unixSeconds(sources))
    return await represent(JSON_TYPE, serialize.aggregate(record), { 'x-history-complete': String(complete), 'x-history-missing': missing.toString() })
  })
}
