import { type Static, type TSchema, Type } from '@sinclair/typebox'

/**
 * The settings, as environment variables, each once: default, form and meaning, and what it `must` be, in words that
 * follow its name. Amounts and rates stay text here, so that they are read as exact decimals; `lib/settings.ts` checks
 * the formats, and turns the checked text into values.
 */

const MUST = {
  'public-key': 'must be a public key: base58 of 32 bytes',
  'public-keys': 'must be public keys separated by commas',
  rate: 'must be a decimal above 0 and below 1, of 12 places at most',
  amount: 'must be a decimal above 0, of 12 places at most',
  'priced-mints': 'must be mint:pool pairs of public keys separated by commas, each mint once',
  addresses: 'must be IP addresses or CIDRs separated by commas',
  'node-urls': 'must be http or https URLs separated by commas, a % in user or password written as %25',
  'node-rates': 'must be decimals above 0.01 separated by commas: one, or one for each node',
  'websocket-url': 'must be a ws or wss URL',
  'postgres-url': 'must be a postgres URL',
  'redis-url': 'must be a redis URL'
}
export type Format = keyof typeof MUST

const text = (format: Format, description: string, fallback?: string): TSchema & { static: string } =>
  Type.String({ format, must: MUST[format], description, ...(fallback !== undefined && { default: fallback }) })

const anyText = (description: string, fallback: string) => Type.String({ description, default: fallback })

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'

const whole = (description: string, fallback: number, maximum: number, minimum = 0) => {
  const must = `must be a whole number from ${minimum} to ${maximum}`
  return Type.Integer({ minimum, maximum, must, default: fallback, description })
}

const choice = <const W extends string>(description: string, words: readonly W[], fallback: W) => {
  const must = `must be one of ${words.join(', ')}`
  return Type.Union(words.map(word => Type.Literal(word)), { must, default: fallback, description })
}

const MAX_PORT = 65_535
const MAX_REQUESTS = 1_000_000_000

export const SettingsSchema = Type.Object({
  CHAIN_RPC_URL: text(
    'node-urls', 'Node, or several separated by commas in order of preference.', 'https://api.mainnet-beta.solana.com'
  ),
  CHAIN_RPC_RATE: text(
    'node-rates',
    'Calls a second that a node\'s plan allows: one number, or one for each node separated by commas. Empty: learned ' +
      'from what is refused.',
    ''
  ),
  CHAIN_WS_URL: Type.Optional(text(
    'websocket-url',
    'WebSocket of a node: wakes the indexer. Empty: none. Unset: that of the public mainnet node where CHAIN_RPC_URL ' +
      'is that one, else none.'
  )),
  PORT: whole('Port to listen on; 0 takes a free one.', 3000, MAX_PORT),
  HOST: anyText('Address to listen on.', '0.0.0.0'),
  NODE_ENV: choice('Runtime mode.', ['development', 'production', 'test'], 'production'),
  DEX_FORK_TYPE: anyText('Fork type that the root record reports.', 'Custom'),
  FACTORY_ADDRESS: text('public-key', 'The program whose DAOs are served.'),
  ROUTER_ADDRESS: text('public-key', 'The router program that the root record reports.'),
  PROTOCOL_FEE_RATE: text('rate', 'Protocol fee as a share of a swap\'s input; volume = fee / rate.', '0.0025'),
  EXCLUDED_DAOS: text('public-keys', 'DAO addresses separated by commas that are left out of every answer.', ''),
  DATA_DIR: anyText('Folder of the embedded store.', './data'),
  DATABASE_URL: Type.Optional(text(
    'postgres-url',
    'PostgreSQL in place of the embedded store; `schema` in its query names the schema, `sslmode` asks for TLS. ' +
      'Empty: the embedded store.'
  )),
  ROLE: choice(
    'With DATABASE_URL: whether this process may be the one that indexes (all, indexer) or never does (api). Without ' +
      'it: all.',
    ['all', 'api', 'indexer'], 'all'
  ),
  REDIS_URL: Type.Optional(text(
    'redis-url', 'Redis that shares the rate limit between replicas. Empty: each process counts for itself.'
  )),
  RATE_LIMIT_MAX: whole('Requests per client address and clock minute.', 60, MAX_REQUESTS, 1),
  RATE_LIMIT_PAGE: whole(
    'Requests per client address and clock minute for the pages, their files and what their scripts ask for.',
    600, MAX_REQUESTS, 1
  ),
  RATE_LIMIT_ALLOW: text('addresses', 'Addresses or CIDRs separated by commas that are not limited.', ''),
  QUOTE_NOTIONAL: text('amount', 'Quote tokens that a bid or ask is made for.', '100'),
  TAKER_FEE_RATE: text('rate', 'Whole fee of a swap, for bid and ask.', '0.005'),
  VOLUME_BASIS: choice(
    'input (or auto, the same): a swap counts its own input and output. fees: fee / PROTOCOL_FEE_RATE to the letter.',
    ['input', 'fees', 'auto'], 'input'
  ),
  USD_PRICED_MINTS: text(
    'priced-mints',
    'Further quote tokens with a USD value, each with the pool that prices it: `mint:pool`, separated by commas.',
    ''
  ),
  USD_MIN_DEPTH: text(
    'amount',
    'Whole units of a USD mint that such a pool must hold, or its token has no USD value.',
    '10000'
  ),
  USD_MINTS: text('public-keys', 'Mints that count as 1 USD, separated by commas.', `${USDC},${USDT}`),
  STALE_IF_ERROR: whole(
    'Seconds for which the last good answer outlives its lifetime when the chain fails.', 60, 3600
  ),
  NODE_WITHIN: whole(
    'Seconds within which a node must have answered after the start, or the process ends with status 1; 0: it waits ' +
      'for ever.', 0, 86_400
  ),
  TRUST_PROXY: text(
    'addresses',
    'Addresses or CIDRs of proxies whose X-Forwarded-For is believed, separated by commas. Empty: none.',
    ''
  ),
  LOG_LEVEL: choice(
    'Least level that is logged.', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'
  ),
  METRICS_HOST: anyText('Address on which the metrics are served.', '127.0.0.1'),
  METRICS_PORT: whole('Port of the Prometheus metrics; 0: off.', 0, MAX_PORT)
})
export type RawSettings = Static<typeof SettingsSchema>
