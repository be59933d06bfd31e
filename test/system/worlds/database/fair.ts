/**
 * Nothing is wrong any more and nobody trades: within a stated time every process must show all of it, and the same.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { expectedCandles, servedCandles } from './candles.js'
import type { Checks } from './checks.js'
import type { Clients } from './clients.js'
import { patience } from './machine.js'
import type { Scene } from './scene.js'
import type { Process } from './service.js'
import { fail } from './violation.js'

/**
 * A lock that nobody lets go of is given up after 8 s, an answer that does not come after 12; the longest rest is one
 * of 10 s.
 */
const FAIR_MS = 60_000
const LOOK_MS = 500
const CANDLES = [
  ['ohlcv?interval=1m&limit=1000', 60], ['ohlcv?interval=1h&limit=1000', 3_600], ['days', 86_400]
] as const

/** Resolves with the seconds that it took. Throws a Violation. */
export async function becomesWhole (
  scene: Scene, processes: readonly Process[], clients: Clients, checks: Checks, signal: AbortSignal
): Promise<number> {
  const { ledger, now } = scene
  const begun = now()
  const slot = ledger.slot

  /** What a process does not yet show as it must; empty: nothing. */
  async function lackOf (process: Process): Promise<{ lack: string, leads: boolean }> {
    const { setting: { basis } } = process.life
    const [ready, tickers, aggregate, daos] = [
      await clients.ask(process, '/ready'), await clients.ask(process, '/api/tickers'),
      await clients.ask(process, '/api/volume/aggregate'), await clients.ask(process, '/api/daos')
    ]
    const leads = ready?.body.history?.leads === true
    for (const [name, answer] of Object.entries({ ready, tickers, aggregate, daos })) {
      if (answer === undefined) return { lack: `${name}: no answer`, leads }
      if (answer.status !== 200) return { lack: `${name} ${answer.status}: ${String(ready?.body.problems)}`, leads }
    }
    return {
      lack: checks.wholeTickers(process, tickers!.body, basis) || checks.wholeAggregate(
        aggregate!.body, aggregate!.headers, basis
      ),
      leads
    }
  }

  async function lack (): Promise<string> {
    const found = await Promise.all(processes.map(lackOf))
    const at = found.findIndex(({ lack }) => lack !== '')
    if (at !== -1) return `process ${at}: ${found[at]!.lack}`
    const leaders = found.filter(({ leads }) => leads).length
    if (leaders !== 1) return `${leaders} processes lead`
    if (clients.crawler.newest < slot) return `block ranges are told up to ${clients.crawler.newest} of ${slot}`
    return ''
  }

  for (let problem = 'not asked yet'; problem !== '' && !signal.aborted;) {
    await wait(LOOK_MS)
    problem = await lack()
    if (problem !== '' && now() - begun > FAIR_MS * patience()) {
      fail('whole in fair weather', `within ${Math.round(FAIR_MS * patience() / 1000)} s`, problem)
    }
  }
  const seconds = (now() - begun) / 1000
  if (!signal.aborted) await Promise.all(processes.map(compareCandles))
  if (!signal.aborted) await compareRanges()
  return seconds

  /** The candles and days of each pool: kept up to date by one process after another. */
  async function compareCandles (process: Process): Promise<void> {
    const hasVolumes = process.life.setting.basis === 'input'
    for (const dao of ledger.daos) {
      for (const [path, interval] of CANDLES) {
        const answer = await clients.ask(process, `/api/pools/${dao.address}/${path}`)
        if (answer === undefined || answer.status !== 200) {
          fail(`process ${process.index}`, `candles of ${dao.address}`, String(answer?.status))
        }
        const [expected, served] = [
          expectedCandles(ledger, dao, interval, hasVolumes), servedCandles(answer.body, hasVolumes)
        ]
        const at = expected.findIndex((line, at) => served[at] !== line)
        if (at !== -1 || served.length > expected.length) {
          fail(
          `${path} of ${dao.address} by process ${process.index}`,
          `${expected.length}, ${expected[at] ?? 'no more'}`,
          `${served.length}, ${served[Math.max(at, 0)] ?? 'none'}`
          )
        }
      }
    }
  }

  /** Every range and pair as each process has it now, and what they told against what was traded. */
  async function compareRanges (): Promise<void> {
    const { crawler } = clients
    for (const process of processes) {
      const changed = await crawler.again(clients.asker(process))
      if (changed.length > 0) {
        fail(`process ${process.index}`, 'block ranges as they were', `another ${changed.slice(0, 3).join(', ')}`)
      }
    }
    for (const { address } of ledger.daos) {
      const told = (crawler.pools.get(address)?.swaps ?? []).map(swap => swap.split(' ')[0])
      const made = ledger.swaps.filter(
        ({ dao, output }) => dao === address && output > 0n
      ).map(({ signature }) => signature)
      const lacking = made.findIndex((signature, at) => told[at] !== signature)
      if (lacking !== -1 || told.length > made.length) {
        fail(
        `block ranges of ${address}`,
        `${made.length} swaps, ${made[lacking] ?? 'no more'}`,
        `${told.length}, ${told[lacking] ?? 'none'} as number ${lacking + 1}`
        )
      }
    }
  }
}
