import { type Format, type RawSettings, SettingsSchema } from '../schemas/settings.js'
import { compare, ONE, parseDecimal, type Rational, ratio, ZERO } from './decimal.js'
import type { VolumeBasis } from './market/volume.js'
import { parseKey } from './protocol/pda.js'
import { addressMatcher, isAddressOrRange } from './http/client-address.js'

/** The settings as the service uses them. */
export type Settings = ReturnType<typeof deriveSettings>

/** Settings that can't be used; `problems` names every one of them. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: string[]

  constructor (problems: string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

const PUBLIC_NODE = SettingsSchema.properties.CHAIN_RPC_URL.default as string
const PUBLIC_WEBSOCKET = 'wss://api.mainnet-beta.solana.com'

/** The members of a list separated by commas; blanks around them and empty ones count for nothing. */
export const list = (text: string) => text.split(',').map(item => item.trim()).filter(item => item !== '')

const isUrl = (text: string, ...protocols: string[]) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol)
/** Node's HTTP client decodes user and password at each request, and throws where a % is not encoded. */
function isNodeUrl (text: string): boolean {
  if (!isUrl(text, 'http:', 'https:')) return false
  const { username, password } = new URL(text)
  try {
    return decodeURIComponent(`${username}:${password}`) !== ''
  } catch {
    return false
  }
}
const isKey = (text: string) => parseKey(text) !== undefined

/** Calls a second, by so few of which nothing becomes current; of far fewer no timer can wait for the next. */
const TOO_FEW = ratio(1n, 100n)

const isBetween = (text: string, least: Rational, most?: Rational) => {
  const value = parseDecimal(text)
  return value !== undefined && compare(value, least) > 0 && (most === undefined || compare(value, most) < 0)
}

/** Above 0, of no more places than answers and the log show. */
function isAmount (text: string, most?: Rational): boolean {
  const value = parseDecimal(text)
  return isBetween(text, ZERO, most) && value!.n * 10n ** 12n % value!.d === 0n
}

/** Mints with the pools that price them, of a list of `mint:pool`. */
const pricedMints = (text: string) =>
  list(text).map(pair => pair.split(':').map(part => part.trim()) as [mint: string, pool: string])

function arePricedMints (text: string): boolean {
  const pairs = pricedMints(text)
  return pairs.every(pair => pair.length === 2 && pair.every(isKey)) && new Map(pairs).size === pairs.length
}

/** Whether a text has a format of the schema. */
export const FORMATS: Record<Format, (text: string) => boolean> = {
  'public-key': isKey,
  'public-keys': text => list(text).every(isKey),
  rate: text => isAmount(text, ONE),
  amount: text => isAmount(text),
  'priced-mints': arePricedMints,
  addresses: text => list(text).every(isAddressOrRange),
  'node-urls': text => list(text).length > 0 && list(text).every(isNodeUrl),
  'node-rates': text => list(text).every(rate => isBetween(rate, TOO_FEW)),
  'websocket-url': text => isUrl(text, 'ws:', 'wss:'),
  'postgres-url': text => isUrl(text, 'postgres:', 'postgresql:'),
  'redis-url': text => isUrl(text, 'redis:', 'rediss:')
}

type Environment = Readonly<Record<string, string | undefined>>

const VARIABLES = Object.keys(SettingsSchema.properties)
const isWhole = (name: string) => 'maximum' in SettingsSchema.properties[name as keyof RawSettings]
/** Settings that the service can't do without: empty, they are missing. */
const REQUIRED = ['CHAIN_RPC_URL', 'DEX_FORK_TYPE', 'FACTORY_ADDRESS', 'ROUTER_ADDRESS']

/** Our variables of the environment, for the schema: trimmed; an empty one counts as not set. */
export function ownVariables (env: Environment) {
  const variables: Record<string, string> = {}
  const problems: string[] = []
  for (const name of VARIABLES) {
    const value = env[name]?.trim()
    if (value === '' && REQUIRED.includes(name)) problems.push(notConfigured(name))
    if (value !== undefined && value !== '') variables[name] = value
    // the validator would take 0x10 and 1e3 for numbers
    if (value && isWhole(name) && !/^\d+$/.test(value)) problems.push(wrong(name))
  }
  const rates = list(variables.CHAIN_RPC_RATE ?? '').length
  if (rates > 1 && rates !== list(variables.CHAIN_RPC_URL ?? PUBLIC_NODE).length) {
    problems.push('CHAIN_RPC_RATE must be one number, or one for each node of CHAIN_RPC_URL')
  }
  if (['api', 'indexer'].includes(variables.ROLE ?? '') && variables.DATABASE_URL === undefined) {
    problems.push(
      'ROLE must be all without DATABASE_URL: the embedded store belongs to one process, which indexes and serves'
    )
  }
  return { variables, problems }
}

const notConfigured = (name: string) => `${name} not configured`

const wrong = (name: string) => `${name} ${SettingsSchema.properties[name as keyof RawSettings].must as string}`

/** The part of a validator's error that is read. */
export interface Violation {
  instancePath: string
  params: { missingProperty?: string }
}

/** The sentence for a violation. It repeats no value: some hold secrets. */
export const explain = ({ instancePath, params: { missingProperty } }: Violation) =>
  missingProperty === undefined ? wrong(instancePath.slice(1)) : notConfigured(missingProperty)

/**
 * The values of checked settings; durations in ms, rates and amounts exact. `env`, which they came from, tells an empty
 * CHAIN_WS_URL from one that is not set.
 */
export function deriveSettings (raw: RawSettings, env: Environment) {
  const [nodeUrls, rates] = [list(raw.CHAIN_RPC_URL), list(raw.CHAIN_RPC_RATE).map(Number)]
  const defaultWebsocket = env.CHAIN_WS_URL === undefined && nodeUrls[0] === PUBLIC_NODE ? PUBLIC_WEBSOCKET : undefined
  return {
    nodeUrls,
    /** Calls a second that each node's plan allows; undefined: learned. */
    nodeRates: nodeUrls.map((_, at) => rates[rates.length === 1 ? 0 : at]),
    /** Undefined: no WebSocket. */
    websocketUrl: raw.CHAIN_WS_URL ?? defaultWebsocket,
    port: raw.PORT,
    host: raw.HOST,
    environment: raw.NODE_ENV,
    forkType: raw.DEX_FORK_TYPE,
    factory: raw.FACTORY_ADDRESS,
    router: raw.ROUTER_ADDRESS,
    feeRate: parseDecimal(raw.PROTOCOL_FEE_RATE)!,
    excluded: new Set(list(raw.EXCLUDED_DAOS)),
    dataDir: raw.DATA_DIR,
    /** Undefined: the embedded store. */
    databaseUrl: raw.DATABASE_URL,
    role: raw.ROLE,
    /** Undefined: each process counts for itself. */
    redisUrl: raw.REDIS_URL,
    rateLimitMax: raw.RATE_LIMIT_MAX,
    rateLimitPage: raw.RATE_LIMIT_PAGE,
    isExempt: addressMatcher(list(raw.RATE_LIMIT_ALLOW)),
    quoteRules: { notional: parseDecimal(raw.QUOTE_NOTIONAL)!, feeRate: parseDecimal(raw.TAKER_FEE_RATE)! },
    volumeBasis: (raw.VOLUME_BASIS === 'fees' ? 'fees' : 'input') as VolumeBasis,
    usdRules: {
      usdMints: new Set(list(raw.USD_MINTS)),
      pricedBy: new Map(pricedMints(raw.USD_PRICED_MINTS)),
      minDepth: parseDecimal(raw.USD_MIN_DEPTH)!
    },
    staleIfError: raw.STALE_IF_ERROR * 1000,
    /** Within which a node must have answered after the start; undefined: at any time. */
    startupTimeout: raw.NODE_WITHIN * 1000 || undefined,
    logLevel: raw.LOG_LEVEL,
    /** Undefined: off. */
    metricsPort: raw.METRICS_PORT || undefined,
    metricsHost: raw.METRICS_HOST
  }
}

/** How many of a word's letters another lacks, wherever they are. */
const lacking = (word: string, other: string) =>
  [...other].reduce((left, letter) => left.replace(letter, ''), word).length

const MIN_LETTERS = 7

/** A sentence for each unknown variable that resembles one of ours. */
function misspelt (env: Environment): string[] {
  return Object.keys(env).filter(name => name.length >= MIN_LETTERS && !VARIABLES.includes(name)).flatMap(name => {
    const given = name.toUpperCase()
    const meant = VARIABLES.find(own => Math.max(lacking(own, given), lacking(given, own)) <= 1)
    return meant === undefined ? [] : [`${name} is no setting: is ${meant} meant?`]
  })
}

/** What is doubtful about settings that are usable: each a sentence for the log. */
export function warnings (settings: Settings, env: Environment): string[] {
  const found = misspelt(env)
  if (settings.nodeUrls[0] === PUBLIC_NODE) {
    found.push(
      'CHAIN_RPC_URL is the public node, which allows about one call of a kind a second: the last day alone may take ' +
        'more than an hour to read'
    )
  }
  if (settings.websocketUrl === undefined) found.push('CHAIN_WS_URL is not set: the head of the history is polled')
  if (settings.usdRules.usdMints.size === 0) found.push('USD_MINTS is empty: every USD figure will be 0')
  for (const [mint, pool] of settings.usdRules.pricedBy) {
    if (settings.excluded.has(pool)) {
      found.push(`EXCLUDED_DAOS has ${pool}, by which USD_PRICED_MINTS values ${mint}: it has no value in USD`)
    }
  }
  return found
}
