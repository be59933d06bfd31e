/**
 * Those who ask: each process all the time, one who reads block ranges from whoever comes next, and one who asks more
 * than he may.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../../../simulator/random.js'
import { type Crawler, createCrawler } from '../../crawler/crawler.js'
import { shownBy } from '../shown.js'
import type { Answer, Checks } from './checks.js'
import { type Lateness, patience } from './machine.js'
import type { DatabasePlan } from './plan.js'
import type { Scene } from './scene.js'
import type { Life, Process } from './service.js'
import { fail } from './violation.js'

/** An answer takes ten seconds at most, and what it takes to come here. */
const DEADLINE_MS = 12_000
const PATIENCE_MS = DEADLINE_MS + 2_000
/** From the start until it listens: a database that does not answer is waited for twice. */
const LISTENS_MS = 20_000
/** From the order to end until it has ended. */
const ENDS_MS = 12_000
const EVERY_MS = 120
const CRAWL_MS = 250
const TRADES = 20
/** For so long two may say that they lead: the server gives a silent one 8 s, which itself may notice after 14. */
const TWO_LEAD_MS = 17_000
const SAYS_MS = 2_000
/** For so long nobody may lead while there is one who could: the 8 s of a silent one, and what the next one needs. */
const NO_LEAD_MS = 15_000
const MOST_FILES = 120
const MOST_BYTES = 450e6

export interface Clients {
  /** Asks a process; undefined: it gave no answer, and need not have. */
  ask (process: Process, path: string, headers?: Record<string, string>): Promise<Answer | undefined>
  crawler: Crawler
  answers: Record<string, number>
  /** Runs until the signal. Throws a Violation. */
  run (signal: AbortSignal): Promise<void>
  /** Answers a crawler from one process. */
  asker (process: Process): (path: string) => Promise<{ status: number, text: string }>
}

export function createClients (
  plan: DatabasePlan, scene: Scene, processes: readonly Process[], checks: Checks, lateness: Lateness, random: Random
): Clients {
  const { now, ledger, begin } = scene
  const answers: Record<string, number> = {}
  const crawler = createCrawler(begin)
  /** Since when each process could lead, and when somebody last said that he does. */
  const able = new Map<Process, number>()
  let ledAt = 0
  const mayFail = plan.events.some(event => 'ill' in event && event.ill === 'node')

  /** Whether a process of which nothing came had a reason that is not its own. */
  const isExcused = (process: Process, life: Life, asked: number): boolean =>
    process.life !== life || life.ending !== undefined || life.pausedAt !== undefined ||
      (life.wentOn ?? -Infinity) >= asked - DEADLINE_MS - lateness.ms()

  async function ask (
    process: Process, path: string, headers: Record<string, string> = {}
  ): Promise<Answer | undefined> {
    const { life } = process
    if (life.url === undefined) return undefined
    const asked = now()
    let response, text
    try {
      response = await fetch(
        life.url + path, { headers, signal: AbortSignal.timeout(Math.round(PATIENCE_MS + lateness.ms())) }
      )
      text = await response.text()
    } catch (error) {
      answers.none = (answers.none ?? 0) + 1
      if (isExcused(process, life, asked)) return undefined
      // its end may be told a moment later than that of its connections
      await wait(500)
      if (isExcused(process, life, asked)) return undefined
      fail(`answer of process ${process.index}`, `to ${path}`, life.ended === undefined
        ? `none: ${(error as Error).message} ${String((error as Error).cause ?? '')}`
        : 'it has ended')
    }
    const answered = now()
    answers[response.status] = (answers[response.status] ?? 0) + 1
    if (path === '/ready' && !isExcused(process, life, asked)) lateness.note(answered - asked)
    if (answered - asked > DEADLINE_MS + lateness.ms() && !isExcused(process, life, asked)) {
      fail(
      `deadline of process ${process.index}`,
      `${path} within ${DEADLINE_MS} ms`,
      `after ${Math.round(answered - asked)} ms`
      )
    }
    return {
      path,
      asked,
      answered,
      status: response.status,
      body: response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text,
      headers: response.headers,
      shown: shownBy(response.headers.get('age'), response.headers.get('cache-control'))
    }
  }

  function checkStatus (answer: Answer): boolean {
    const { status, path, body } = answer
    if (status === 200) return true
    const isNode = mayFail && status === 500 && body.error === 'Failed to fetch DAO data from blockchain'
    if (![502, 503].includes(status) && !isNode) {
      fail(`status of ${path}`, '200, 502 or 503', `${status} ${JSON.stringify(body)}`)
    }
    return false
  }

  async function look (process: Process): Promise<void> {
    const dao = ledger.daos[random.int(plan.daos)]!
    const paths = [
      '/api/tickers', '/api/tickers', '/api/volume/aggregate', '/api/daos', '/health',
      `/api/pools/${dao.address}/trades?limit=${TRADES}`, `/api/supply/${dao.base.address}`
    ]
    const path = paths[random.int(paths.length)]!
    const answer = await ask(process, path)
    if (answer === undefined || !checkStatus(answer)) return
    if (path === '/api/tickers') checks.tickers(process, answer)
    else if (path === '/api/daos') checks.daos(answer)
    else if (path === '/api/volume/aggregate') checks.aggregate(process, answer)
    else if (path.startsWith('/api/pools')) checks.trades(process, answer, dao, TRADES)
    else if (path.startsWith('/api/supply')) checks.supply(answer, dao)
  }

  async function lookAtReady (process: Process): Promise<void> {
    const { life } = process
    const answer = await ask(process, '/ready')
    if (answer === undefined || answer.body.history === undefined) return
    checks.ready(process, answer)
    if (answer.body.history.leads !== true) delete life.leads
    else life.leads = { since: life.leads?.since ?? answer.answered, last: answer.answered }
    const leaders = processes.filter((
      { life: { leads, pausedAt, ending } }
    ) => leads !== undefined && now() - leads.last < SAYS_MS && pausedAt === undefined && ending === undefined)
    const together = leaders.length < 2 ? 0 : now() - Math.max(...leaders.map(({ life }) => life.leads!.since))
    if (leaders.length > 0) ledAt = now()
    lookForLeader()
    if (together > TWO_LEAD_MS + 2 * lateness.ms()) {
      fail(
        'leaders',
        'one',
      `${leaders.length} for ${Math.round(together / 1000)} s: ${leaders.map(({ index }) => index).join()}`
      )
    }
  }

  /** Somebody leads, where there is one who could for long enough. */
  function lookForLeader (): void {
    for (const process of processes) {
      const { life: { setting, url, ended, ending, pausedAt }, away } = process
      const isAble = setting.role !== 'api' && url !== undefined && ended === undefined && ending === undefined &&
        pausedAt === undefined && away === undefined
      if (!isAble) able.delete(process)
      else if (!able.has(process)) able.set(process, now())
      const since = Math.max(ledAt, able.get(process) ?? Infinity)
      if (now() - since > NO_LEAD_MS + 2 * lateness.ms()) {
        fail(
          'leaders',
        `one within ${NO_LEAD_MS / 1000} s`,
        `none for ${Math.round((now() - since) / 1000)} s, while process ${process.index} could`
        )
      }
    }
  }

  /** What a process holds, and that it lives, listens and ends as it should. */
  function lookAt ({ index, life, holds, lines }: Process): void {
    const { begun, url, ending, ended, pausedAt, wentOn = begun } = life
    if (ended !== undefined && ending === undefined) {
      fail(
      `process ${index}`,
      'it goes on',
      `it has ended with ${ended.code ?? ended.signal}: ${lines().slice(-3).join(' ').slice(-600)}`
      )
    }
    if (pausedAt !== undefined || ended !== undefined) return
    if (url === undefined && ending === undefined && now() - Math.max(begun, wentOn) > LISTENS_MS * patience()) {
      fail(`process ${index}`, `it listens within ${LISTENS_MS} ms`, lines().slice(-3).join(' ').slice(-600))
    }
    if (ending !== undefined && now() - Math.max(ending, wentOn) > ENDS_MS * patience()) {
      fail(`process ${index}`, `it ends within ${ENDS_MS} ms`, lines().slice(-3).join(' ').slice(-600))
    }
    // While it loads, every module that is read is an open file
    if (url === undefined) return
    const held = holds()
    if (held !== undefined && held.files > MOST_FILES) {
      fail(`files of process ${index}`, `${MOST_FILES} at most`, String(held.files))
    }
    if (held !== undefined && held.bytes > MOST_BYTES) {
      fail(`memory of process ${index}`, `${MOST_BYTES / 1e6} MB at most`, `${Math.round(held.bytes / 1e6)} MB`)
    }
  }

  async function keepAsking (process: Process, signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      lookAt(process)
      await (turn % 4 === 0 ? lookAtReady(process) : look(process))
      await wait(EVERY_MS * (0.5 + random.next()))
    }
  }

  function checkBlock ({ blockNumber, blockTimestamp }: { blockNumber: number, blockTimestamp: number }): void {
    const final = ledger.slot - plan.finalityLag
    if (blockNumber > final) fail('latest block', `a final one, ${final} at most`, String(blockNumber))
    if (blockTimestamp !== ledger.timeOf(blockNumber)) {
      fail('latest block', `${blockNumber} at ${ledger.timeOf(blockNumber)}`, String(blockTimestamp))
    }
  }

  /** Errors of its own are those of a rule; who does not answer has nothing to say yet. */
  const asker = (process: Process) => async (path: string) => {
    const answer = await ask(process, path)
    if (answer === undefined || [502, 503].includes(answer.status)) return { status: 503, text: '' }
    if (path.endsWith('/latest-block') && answer.status === 200) checkBlock(answer.body.block)
    return { status: answer.status, text: JSON.stringify(answer.body) }
  }

  async function keepCrawling (signal: AbortSignal): Promise<void> {
    let turn = 0
    const next = async (path: string) => await asker(processes[turn++ % processes.length]!)(path)
    while (!signal.aborted) {
      await crawler.look(next).catch((error: Error) => {
        if (error.name === 'Violation') throw error
        fail('block ranges', 'what follows from the events before', error.message)
      })
      await wait(CRAWL_MS)
    }
  }

  return {
    ask,
    crawler,
    answers,
    asker,
    run: async signal => {
      await Promise.all([keepCrawling(signal), ...processes.map(async process => await keepAsking(process, signal))])
    }
  }
}
