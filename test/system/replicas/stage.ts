import { setTimeout as wait } from 'node:timers/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDecimal } from '../../../lib/decimal.js'
import { createHistory } from '../../../lib/history/history.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { createLedger, startNode, type Dao } from '../../../simulator/index.js'
import { accountsOf } from '../../support/history/history.js'
import { ask, cutAll } from '../../support/history/postgres.js'
import { ledgerReader } from '../../support/history/reader.js'
import { postgresRows, sqliteRows } from '../../support/history/rows.js'
import { createLoad, type Load } from './load.js'
import { startReplica, type Replica } from './replica.js'
import { ageTime } from '../../support/age-time.js'
import { steadyNow } from '../../support/steady-time.js'
import { until as patiently } from '../../support/until.js'
import { createTruth } from './truth.js'

/** Longest that nobody may write after the one who did has gone, ms. */
const TAKEOVER_MS = 15_000
const TRADE_MS = 150
const DAOS = 5

export interface Stage {
  load: Load
  /** Kills the process that writes, starts another in its place, and gives the ms until somebody has written. */
  killLeader (): Promise<number>
  /** Ends all connections to the database; gives the ms until somebody has written. */
  cut (): Promise<number>
  /** Stops the process that writes for so long, and lets it go on; gives the ms until another has written. */
  pauseLeader (ms: number): Promise<number>
  /** Ends the trading, waits until every replica shows all of it, and gives what is wrong; nothing is. */
  settle (): Promise<{ problems: string[], swaps: number, events: number, writers: number, writes: number }>
  close (): Promise<void>
}

/** Waits until `holds`, and gives how long that took, of steady time, ms; throws after so many. */
async function until (what: string, ms: number, holds: () => boolean | Promise<boolean>): Promise<number> {
  const begun = steadyNow()
  await patiently(what, holds, ms)
  return steadyNow() - begun
}

/**
 * So many replicas of the whole service, each a process of its own, on one database and a simulated chain that trades
 * on; and clients who ask them all.
 */
export async function setStage ({ url, schema }: { url: string, schema: string }, count = 3): Promise<Stage> {
  const ledger = createLedger({ seed: 21, time: Math.floor(Date.now() / 1000) - 600 })
  const begin = ledger.slot
  const daos: Dao[] = Array.from({ length: DAOS }, (_, at) => ledger.dao({
    base: ledger.mint({ decimals: 6 + at % 4, symbol: `T${at}` }),
    quote: ledger.usdc(),
    quoteReserves: 200_000_000_000n,
    baseReserves: 2_000_000_000_000_000n
  }))
  const truth = createTruth(ledger, daos)
  let swaps = 0
  function trade (): void {
    ledger.advance(Math.max(0, Date.now() / 1000 - ledger.time))
    const dao = daos[swaps % DAOS]!
    dao.swap(swaps % 3 === 0 ? 'sell' : 'buy', BigInt(swaps % 3 === 0 ? 3_000_000_000 : 1_000_000 * (1 + swaps % 7)))
    swaps++
    truth.follow()
  }
  for (let at = 0; at < 50; at++) trade()
  // a slot that is final is over, as on every network: no trade follows into it
  const node = await startNode(ledger, { finalityLag: 1 })
  const trading = setInterval(trade, TRADE_MS)

  const env = {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: node.wsUrl,
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
    PROTOCOL_FEE_RATE: '0.005',
    RATE_LIMIT_MAX: '1000000',
    DATABASE_URL: url
  }
  const replicas: Replica[] = Array.from({ length: count }, () => startReplica(env))
  const load = createLoad(replicas, daos.map(({ address }) => address), truth, begin)

  /** Every write is noted, in the order in which the database let them happen, with the session that made it. */
  async function noteWriters (): Promise<void> {
    await until('the tables are there', 60_000, async () => (await ask(
      'select from information_schema.tables where table_schema = $1 and table_name = $2', [schema, 'fee_rates']
    )).length > 0)
    await ask(
      `create table "${schema}".writers (n bigserial primary key, pid integer not null default pg_backend_pid())`
    )
    await ask(
      `create function "${schema}".note () returns trigger language plpgsql as $$
      begin insert into "${schema}".writers default values; return new; end $$`
    )
    await ask(
      `create trigger note after insert or update on "${schema}".meta
      for each row when (new.key in ('head_time', 'revision')) execute function "${schema}".note()`
    )
  }
  const lastWriter = async () => (await ask(
    `select pid, n from "${schema}".writers order by n desc limit 1`
  ))[0] as { pid: number, n: string } | undefined
  const leader = () => replicas.find(replica => replica.leads())
  async function nextWriter (before: { pid: number } | undefined): Promise<number> {
    return await until('another session writes', TAKEOVER_MS, async () => {
      const found = await lastWriter()
      return found !== undefined && found.pid !== before?.pid
    })
  }
  const someLeader = async () => {
    await until('a process leads', TAKEOVER_MS, () => leader() !== undefined)
    return leader()!
  }

  async function close (): Promise<void> {
    clearInterval(trading)
    await load.stop()
    await Promise.all(replicas.map(async replica => await replica.kill()))
    await node.close()
  }

  try {
    await noteWriters()
    await Promise.all(replicas.map(async replica => await replica.ready()))
    await until('somebody writes', TAKEOVER_MS, async () => await lastWriter() !== undefined)
  } catch (error) {
    await close()
    throw error
  }
  load.start()

  async function compareRows (): Promise<string[]> {
    const folder = mkdtempSync(join(tmpdir(), 'replicas-'))
    const store = await openSqliteStore({ folder, program: ledger.program })
    const history = createHistory({
      reader: ledgerReader(ledger),
      time: ageTime(() => ledger.time * 1000),
      store,
      program: ledger.program,
      daos: accountsOf(ledger),
      rate: parseDecimal('0.005')!,
      basis: 'input',
      pollMs: 50
    })
    history.start()
    await until(
      'the other store is filled', 20_000, () => history.status().swaps === swaps && history.status().complete
    )
    await history.stop()
    await store.close()
    const [expected, found] = [sqliteRows(folder), await postgresRows(schema)]
    rmSync(folder, { recursive: true, force: true })
    // Where a page ended is of no matter
    delete expected.indexedRanges
    return Object.keys(expected).filter(table => JSON.stringify(expected[table]) !== JSON.stringify(found[table])).map(
      table => `the rows of ${table} differ from those of a store that nothing happened to`
    )
  }

  /** Ranges as each replica has them, and what they told against what was traded. */
  async function compareRanges (): Promise<string[]> {
    const { crawler } = load
    const slot = ledger.slot
    await until('the crawler has all of it', 30_000, async () => {
      ledger.advance(1)
      await crawler.look(load.ask(replicas[0]!))
      return crawler.newest >= slot
    })
    const changed = await Promise.all(replicas.map(
      async (replica, at) => (await crawler.again(load.ask(replica))).map(path => `replica ${at} has another ${path}`)
    ))
    const told = daos.map(({ address }) => crawler.pools.get(address)?.swaps.map(swap => swap.split(' ')[0]))
    const made = daos.map(
      ({ address }) => ledger.swaps.filter(({ dao }) => dao === address).map(({ signature }) => signature)
    )
    return [
      ...changed.flat(), ...JSON.stringify(told) === JSON.stringify(made) ? [] : ['the ranges do not tell the trades']
    ]
  }

  return {
    load,
    async killLeader () {
      const [victim, before] = [await someLeader(), await lastWriter()]
      await victim.kill()
      const ms = await nextWriter(before)
      replicas[replicas.indexOf(victim)] = startReplica(env)
      await until('all are back', 60_000, async () => (await Promise.all(
        replicas.map(async replica => await replica.ready().then(() => true))
      )).every(Boolean))
      return ms
    },
    async cut () {
      const before = await lastWriter()
      if (await cutAll(schema) === 0) throw new Error('there was nothing to cut')
      return await nextWriter(before)
    },
    async pauseLeader (ms) {
      const [victim, before] = [await someLeader(), await lastWriter()]
      const begun = performance.now()
      victim.pause()
      const taken = await nextWriter(before)
      await wait(Math.max(0, ms - (performance.now() - begun)))
      victim.goOn()
      await until('the one who was stopped knows', 10_000, () => !victim.leads())
      return taken
    },
    async settle () {
      clearInterval(trading)
      await wait(1000)
      ledger.advance(1)
      const full = until('every replica shows all swaps', 30_000, async () => (await Promise.all(
        replicas.map(async replica => await load.counts(replica))
      )).every(counts => counts === swaps))
      const problems: string[] = await full.then(() => [], (error: Error) => [error.message])
      await load.stop()
      problems.push(...load.problems, ...await compareRanges(), ...await compareRows())
      const writers = await ask(`select pid, n from "${schema}".writers order by n`) as Array<{ pid: number }>
      const turns = writers.filter(({ pid }, at) => pid !== writers[at - 1]?.pid).map(({ pid }) => pid)
      if (new Set(turns).size !== turns.length) {
        problems.push(`a session wrote again after another had: ${turns.join(', ')}`)
      }
      return {
        problems,
        swaps,
        events: ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0),
        writers: turns.length,
        writes: writers.length
      }
    },
    close
  }
}
