import { setTimeout as wait } from 'node:timers/promises'
import { type Ask, type Crawler, createCrawler } from '../crawler/crawler.js'
import type { Replica } from './replica.js'
import type { Truth } from './truth.js'

/** Clients who ask all replicas all the time, and hold every answer to the truth. */
export interface Load {
  start (): void
  stop (): Promise<void>
  /** Swaps that a replica's answer counts in all; undefined where it does not answer. */
  counts (replica: Replica): Promise<number | undefined>
  /** Reads block ranges from one replica after the other, whichever answers. */
  crawler: Crawler
  /** Asks a replica as the crawler does: one that does not answer has nothing to say yet. */
  ask (replica: Replica): Ask
  /** What was wrong, in words. */
  problems: string[]
  /** Answers by status; "none" where the connection broke or nothing came. */
  answers: Record<string, number>
}

interface Ticker { pool_id: string, base_volume: string, target_volume: string }

const EVERY_MS = 60
const PATIENCE_MS = 3000
/**
 * Ten seconds of an answer's life, sixty for which the last good one may be served when something fails, and what it
 * takes to come here.
 */
const OLDEST_MS = 80_000

/** `from`: the block that the crawler begins at. */
export function createLoad (replicas: readonly Replica[], daos: readonly string[], truth: Truth, from: number): Load {
  const crawler = createCrawler(from)
  const problems: string[] = []
  const answers: Record<string, number> = {}
  const seen = new Map<Replica, Map<string, number>>()
  const state = { running: false }
  let work: Promise<unknown> = Promise.resolve()

  function hold (replica: Replica, asked: number, tickers: Ticker[]): number {
    const before = seen.get(replica) ?? new Map<string, number>()
    seen.set(replica, before)
    let all = 0
    for (const { pool_id: dao, base_volume: base, target_volume: target } of tickers) {
      const counted = truth.counted(dao, base, target)
      if (counted === undefined) {
        problems.push(`${dao}: ${base} and ${target} are the volumes of no beginning of its swaps`)
      } else if (counted < truth.countAt(dao, asked - OLDEST_MS)) {
        problems.push(`${dao}: only ${counted} swaps are counted`)
      }
      all += counted ?? 0
      before.set(dao, counted ?? 0)
    }
    if (tickers.length !== daos.length) problems.push(`${tickers.length} of ${daos.length} tickers`)
    return all
  }

  async function ask (replica: Replica): Promise<number | undefined> {
    const [url, asked] = [replica.url(), Date.now()]
    if (url === undefined) return undefined
    try {
      const answer = await fetch(`${url}/api/tickers`, { signal: AbortSignal.timeout(PATIENCE_MS) })
      answers[answer.status] = (answers[answer.status] ?? 0) + 1
      const body = await answer.text()
      if (answer.status === 200) return hold(replica, asked, JSON.parse(body) as Ticker[])
      if (answer.status !== 503) problems.push(`status ${answer.status}: ${body}`)
    } catch (error) {
      if (error instanceof SyntaxError) throw error
      answers.none = (answers.none ?? 0) + 1
    }
    return undefined
  }

  async function keepAsking (index: number): Promise<void> {
    while (state.running) {
      await ask(replicas[index]!)
      await wait(EVERY_MS)
    }
  }

  const asker = (replica: Replica): Ask => async path => {
    const given = fetch(
      `${replica.url()}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) }
    ).then(async answer => ({ status: answer.status, text: await answer.text() }))
    return await given.catch(() => ({ status: 503, text: '' }))
  }

  async function keepCrawling (): Promise<void> {
    for (let turn = 0; state.running; turn++) {
      await crawler.look(asker(replicas[turn % replicas.length]!)).catch(
        (error: Error) => { problems.push(error.message) }
      )
      await wait(EVERY_MS)
    }
  }

  return {
    crawler,
    ask: asker,
    problems,
    answers,
    counts: ask,
    start () {
      state.running = true
      work = Promise.all([keepCrawling(), ...replicas.map(async (_, index) => await keepAsking(index))])
    },
    async stop () {
      state.running = false
      await work
    }
  }
}
