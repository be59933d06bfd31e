/** A database of PostgreSQL, and one of Redis, for one world; both go with it. */
import { Redis } from 'ioredis'
import pg from 'pg'

const POSTGRES = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const REDIS = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'
/** Databases that a Redis has where nobody says otherwise; the first few belong to others. */
const [FIRST_REDIS, LAST_REDIS] = [10, 15]
const PREFIX = 'database_world_'

export interface Place {
  database: string
  /** Where the servers are, for the links to them. */
  postgres: { host: string, port: number }
  redis: { host: string, port: number }
  /** What a process is to use, by the port of its link. */
  postgresUrl (port: number): string
  redisUrl (port: number): string
  /** Ends every connection, and lets nobody in until `letIn`. */
  shut (): Promise<void>
  letIn (): Promise<void>
  /** Ends every connection; gives their number. */
  cut (): Promise<number>
  /** Notes each write from now on, once the tables are there; says whether they are. */
  noteWriters (): Promise<boolean>
  /**
   * The sessions that have written, in the order in which the database let them; one that wrote twice in a row is named
   * once.
   */
  writers (): Promise<number[]>
  drop (): Promise<void>
}

function addressOf (url: string, port: number): { host: string, port: number } {
  const parsed = new URL(url)
  return { host: parsed.hostname, port: Number(parsed.port || port) }
}

function urlOf (url: string, changes: { host?: string, port: number, path: string }): string {
  const parsed = new URL(url)
  parsed.hostname = changes.host ?? parsed.hostname
  parsed.port = String(changes.port)
  parsed.pathname = `/${changes.path}`
  return parsed.href
}

async function ask (url: string, text: string, values: unknown[] = []): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})   // the world itself ends connections; the query tells
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Databases of runs that ended before they could clear up. */
export async function dropLeftBehind (): Promise<void> {
  const rows = await ask(POSTGRES, 'select datname from pg_database where starts_with(datname, $1)', [PREFIX])
  for (const { datname } of rows) {
    if (!isAlive(Number(String(datname).slice(PREFIX.length).split('_')[0]))) {
      await ask(POSTGRES, `drop database if exists "${String(datname)}" with (force)`)
    }
  }
}

/** The first database of Redis that holds nothing, marked as ours. */
async function takeRedis (): Promise<{ number: number, free (): Promise<void> }> {
  for (let number = FIRST_REDIS; number <= LAST_REDIS; number++) {
    const redis = new Redis(urlOf(REDIS, { ...addressOf(REDIS, 6379), path: String(number) }))
    if (await redis.dbsize() === 0 && await redis.set('database-world', process.pid, 'EX', 600, 'NX') === 'OK') {
      return { number, async free () { await redis.flushdb(); redis.disconnect() } }
    }
    redis.disconnect()
  }
  throw new Error(`no database of the Redis from ${FIRST_REDIS} to ${LAST_REDIS} is empty`)
}

let made = 0

export async function createPlace (): Promise<Place> {
  const database = `${PREFIX}${process.pid}_${made++}`
  const [postgres, redis] = [addressOf(POSTGRES, 5432), addressOf(REDIS, 6379)]
  const own = urlOf(POSTGRES, { ...postgres, path: database })
  await ask(POSTGRES, `create database "${database}"`)
  const counts = await takeRedis()
  const cut = async () => (await ask(
    POSTGRES, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]
  )).length
  const allow = (is: boolean) => ask(POSTGRES, `alter database "${database}" allow_connections ${is}`)

  return {
    database,
    postgres,
    redis,
    postgresUrl: port => urlOf(POSTGRES, { host: '127.0.0.1', port, path: database }),
    redisUrl: port => urlOf(REDIS, { host: '127.0.0.1', port, path: String(counts.number) }),
    cut,
    async shut () {
      await allow(false)
      await cut()
    },
    async letIn () { await allow(true) },
    async noteWriters () {
      const [table] = await ask(
        own, "select from information_schema.tables where table_schema = 'history' and table_name = 'meta'"
      )
      if (table === undefined) return false
      await ask(own, `
        create table public.writers (n bigserial primary key, pid integer not null default pg_backend_pid());
        create function public.note () returns trigger language plpgsql as $$
          begin insert into public.writers default values; return new; end $$;
        create trigger note after insert or update on history.meta
          for each row when (new.key in ('revision', 'progress')) execute function public.note()`)
      return true
    },
    async writers () {
      const rows = await ask(own, 'select pid from public.writers order by n') as Array<{ pid: number }>
      return rows.filter(({ pid }, at) => pid !== rows[at - 1]?.pid).map(({ pid }) => pid)
    },
    async drop () {
      await counts.free()
      await ask(POSTGRES, `drop database if exists "${database}" with (force)`)
    }
  }
}
