import { compare, type Rational, subtract } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import { rawOf } from './market.js'
import { checkKnown } from './reader.js'
import { decimal, fields, isLess, listOf, type Row, rowOf, same, sumOf } from './rules.js'

/** What does not circulate of a token issued anew for a DAO, by that DAO's own record. */
async function unclaimed ({ market, reader }: Checking, mint: string): Promise<Rational> {
  const pool = (await market.pools()).find(({ base }) => base.mint === mint)
  const { supply } = rowOf(await reader.json(`/api/daos/${pool?.id ?? mint}`))
  const parts = listOf(rowOf(supply).allocation)
  return sumOf(parts.filter(({ kind, circulating }) => kind === 'launch_vault' && circulating === false), 'amount')
}

const PARTS = {
  totalSupply: { form: 'text' },
  circulatingSupply: { form: 'text' },
  teamPerformancePackage: { form: 'text' },
  protocolAmmLiquidity: { form: 'text' },
  externalLpLiquidity: { form: 'text' }
} as const

/** The supply record of a token in itself, and its two numbers as text and as JSON. */
export async function checkSupply (checking: Checking, mint: string): Promise<void> {
  const { market, reader, refuse, doubt } = checking
  const where = `/api/supply/${mint}`
  const record = await market.supply(mint)
  if (record === undefined) return refuse(`${where}: no record`)
  if (record.mint !== mint) refuse(`${where}: the record of another mint`)
  const {
    totalSupply: total, circulatingSupply: circulating, teamPerformancePackage: locked,
    protocolAmmLiquidity: inPools, externalLpLiquidity: outside
  } = fields(record, where, refuse, PARTS)
  if (total === undefined || circulating === undefined || locked === undefined) return
  const held = subtract(subtract(total, circulating), locked)
  if (held.n !== 0n && compare(held, await unclaimed(checking, mint)) !== 0) {
    refuse(`${where}: circulatingSupply is not totalSupply less teamPerformancePackage`)
  }
  if (isLess(total, inPools) || isLess(total, outside)) refuse(`${where}: a part is more than the whole`)
  const { decimals } = record
  if (typeof decimals !== 'number' || String(rawOf(record.totalSupply, decimals)) !== record.rawTotalSupply) {
    refuse(`${where}: rawTotalSupply is not totalSupply in raw units`)
  }
  if ((await market.tokens(mint)).some(({ decimals }) => decimals !== record.decimals)) {
    refuse(`${where}: decimals are not those of /api/pools`)
  }
  // what the token's pools hold: of a token of several, the vaults of all or of the launch's own
  for (const [kind, value] of [['total', record.totalSupply], ['circulating', record.circulatingSupply]] as const) {
    const path = `${where}/${kind}`
    const plain = await readPlain(checking, path)
    if (plain === undefined) continue
    if (!same(plain, value)) doubt(`${path}: ${plain}, the record has ${value}`)
    const asJson = await reader.raw(path, { accept: 'application/json' })
    if (asJson.status !== 200 || !isResult(asJson.text, value)) {
      doubt(`${path}: as JSON it is ${asJson.text.slice(0, 80)}, the record has ${value}`)
    }
  }
  const { result = record.totalSupply } = rowOf(await reader.json(where))
  if (result !== record.totalSupply) refuse(`${where}: result is not data.totalSupply`)
}

/** A number that is all that an answer consists of. */
async function readPlain ({ reader, refuse }: Checking, path: string): Promise<string | undefined> {
  const plain = await reader.plain(path)
  return plain === undefined || /^\d+(\.\d+)?$/.test(plain)
    ? plain
    : refuse(`${path}: not the number alone as plain text: ${plain.slice(0, 80)}`)
}

function isResult (text: string, value: Row[string] | undefined): boolean {
  try {
    return same((JSON.parse(text) as Row).result, value)
  } catch {
    return false   // no JSON: told as it is
  }
}

/** A form's supplies of a token, held against its record. */
export async function compareSupply (
  { market, doubt }: Checking, mint: string, where: string, row: Row
): Promise<void> {
  const record = await market.supply(mint)
  if (record === undefined) return doubt(`${where}: /api/supply/${mint} has no record`)
  for (const name of ['totalSupply', 'circulatingSupply']) {
    if (decimal(row[name]) === undefined || !same(row[name], record[name])) {
      doubt(`${where}: ${name} is ${JSON.stringify(row[name])}, /api/supply has ${record[name]}`)
    }
  }
}

/** Jupiter's supplies, held against the plain-text ones that CoinGecko and CoinMarketCap read. */
export async function checkJupiter (checking: Checking): Promise<void> {
  const { reader, market, refuse, compared } = checking
  const mints = [...new Set((await market.lookedAt()).map(({ base }) => base.mint))]
  if (mints.length === 0) refuse('/jupiter: no token to look at')
  for (const mint of mints) {
    const where = `/jupiter/supply/${mint}`
    const [total, circulating] = [await reader.row(`${where}/total`), await reader.row(`${where}/circulating`)]
    if (total === undefined || circulating === undefined) continue
    const row = { ...total, ...circulating }
    const { totalSupply: whole, circulatingSupply: part } = fields(row, where, refuse, {
      totalSupply: { form: 'number', isPositive: true }, circulatingSupply: { form: 'number' }
    })
    if (isLess(whole, part)) refuse(`${where}: more circulates than there is`)
    await compareSupply(checking, mint, where, row)
    for (const kind of ['total', 'circulating']) await readPlain(checking, `/api/supply/${mint}/${kind}`)
    await checkKnown(reader, `${where}/total`, refuse)
  }
  compared(`${mints.length} tokens with /api/supply`)
}
