import { ServiceError } from '../errors.js'
import type { Aged } from '../live/fresh.js'
import { daosReport } from '../market/dao-report.js'
import { isTickerId } from '../market/ticker.js'
import { type Representation, represent } from '../representation.js'
import type { Ready } from '../../schemas/ready.js'
import type { Ticker } from '../../schemas/ticker.js'
import { createAggregateAnswer } from './aggregate.js'
import { ALL, JSON_TYPE, keep, type Sources, staleAfter, valuationOf } from './sources.js'
import { createTickers } from './tickers.js'

/** Answers about the whole market; bytes are made once per refresh. */
export interface Market {
  tickers (): Promise<Aged<Representation>>
  /** The tickers of a pair, deepest first, at least one. Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
  tickersOf (tickerId: string): Promise<Aged<Ticker[]>>
  aggregate (): Promise<Aged<Representation>>
  daos (): Promise<Aged<Representation>>
  readiness (): Ready
}

export function createMarket (sources: Sources): Market {
  const { snapshot: snapshots, history, settings, serialize } = sources
  const tickers = createTickers(sources)
  const aggregate = createAggregateAnswer(sources)

  const daos = keep(sources, async () => {
    const { value: snapshot } = await snapshots.get(ALL)
    const incomplete = tickers.peek()?.value.incomplete ?? new Set<string>()
    const report = daosReport({ slot: snapshot.slot, found: snapshot.discovered, incomplete, indexed: history.report(), usd: valuationOf(snapshot, settings) })
    return await represent(JSON_TYPE, serialize.daos(report))
  })

  return {
    async tickers () {
      const { value, ...age } = await tickers.get()
      return { value: value.representation, ...age }
    },
    async tickersOf (tickerId) {
      if (!isTickerId(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
      const { value, ...age } = await tickers.get()
      const found = value.tickers.filter(({ ticker_id: id }) => id === tickerId)
      if (found.length === 0) throw new ServiceError('TICKER_NOT_FOUND', `Ticker not found: ${tickerId}`)
      return { value: found, ...age }
    },
    aggregate: () => aggregate.get(),
    daos: () => daos.get(),
    readiness: () => readiness(sources)
  }
}

/** What stands in the way of serving the figures, from what is known already: it asks nobody. */
function readiness ({ snapshot: snapshots, history, settings, now }: Sources): Ready {
  const snapshot = snapshots.peek(ALL)
  const { phase, last24h, complete, headAt, holes } = history.status()
  const problems: string[] = []
  if (!last24h) problems.push('the last 24 hours are not indexed yet')
  if (snapshot === undefined) problems.push('the chain has not been read yet')
  else if (snapshot.age > staleAfter(settings)) problems.push('the chain has not been read for a while')
  if (headAt !== null && now() - headAt > staleAfter(settings)) problems.push('the history has fallen behind')
  return {
    ready: problems.length === 0,
    problems,
    snapshot: { slot: snapshot?.value.slot ?? null, age_seconds: snapshot === undefined ? null : snapshot.age / 1000 },
    history: {
      phase,
      last_day_covered: last24h,
      complete,
      head_age_seconds: headAt === null ? null : Math.max(0, now() - headAt) / 1000,
      missing_events: holes
    }
  }
}
