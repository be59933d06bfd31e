import { compare, type Rational } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import { decimalsOf, rawOf } from './market.js'
import { amount, decimal, type Refuse, type Row, same } from './rules.js'

const minus = (a: Rational, b: Rational): Rational => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d })

/** What does not circulate of a token issued anew for a DAO, by that DAO's own record. */
async function unclaimed (
  { market, reader }: Pick<Checking, 'market' | 'reader'>, mint: string, refuse: Refuse
): Promise<Rational> {
  const pool = (await market.pools()).find(({ base }) => base.mint === mint)
  const where = `/api/daos/${pool?.id ?? mint}`
  const { supply } = await reader.json(where) as { supply?: { allocation?: Row[] } } ?? {}
  return (supply?.allocation ?? []).filter(
    ({ kind, circulating }) => kind === 'launch_vault' && circulating === false
  ).reduce<Rational>((sum, part) => {
    const { n, d } = amount(part, 'amount', where, refuse, { form: 'text' }) ?? { n: 0n, d: 1n }
    return { n: sum.n * d + n * sum.d, d: sum.d * d }
  }, { n: 0n, d: 1n })
}

/** The supply record of a token in itself, and its two numbers as text and as JSON. */
export async function checkSupply ({ market, reader, refuse, doubt }: Checking, mint: string): Promise<void> {
  const where = `/api/supply/${mint}`
  const record = await market.supply(mint)
  if (record === undefined) return refuse(`${where}: no record`)
  if (record.mint !== mint) refuse(`${where}: the record of another mint`)
  const [total, circulating, locked, inPools, outside] = [
    'totalSupply',
    'circulatingSupply',
    'teamPerformancePackage',
    'protocolAmmLiquidity',
    'externalLpLiquidity'
  ]
    .map(key => amount(record, key, where, refuse, { form: 'text' }))
  if (total === undefined || circulating === undefined || locked === undefined) return
  const held = minus(total, circulating)
  if (compare(held, locked) !== 0 && compare(
    minus(held, locked), await unclaimed({ market, reader }, mint, refuse)
  ) !== 0) {
    refuse(`${where}: circulatingSupply is not totalSupply less teamPerformancePackage`)
  }
  for (const part of [inPools, outside]) {
    if (part !== undefined && compare(part, total) > 0) refuse(`${where}: a part is more than the whole`)
  }
  if (String(rawOf(record.totalSupply, decimalsOf(record))) !== record.rawTotalSupply) {
    refuse(`${where}: rawTotalSupply is not totalSupply in raw units`)
  }
  const tokens = (await market.pools()).flatMap(({ base, quote }) => [base, quote]).filter(token => token.mint === mint)
  for (const token of tokens) {
    if (token.decimals !== record.decimals) refuse(`${where}: decimals are not those of /api/pools`)
  }
  // what the token's pools hold: of a token of several, the vaults of all or of the launch's own
  for (const [kind, value] of [['total', record.totalSupply], ['circulating', record.circulatingSupply]] as const) {
    const path = `${where}/${kind}`
    const plain = await reader.plain(path)
    if (plain === undefined) continue
    if (!/^\d+(\.\d+)?$/.test(plain)) refuse(`${path}: not the number alone as plain text: ${plain.slice(0, 80)}`)
    else if (!same(plain, value)) doubt(`${path}: ${plain}, the record has ${String(value)}`)
    const asJson = await reader.raw(path, { accept: 'application/json' })
    if (asJson.status !== 200 || !isResult(asJson.text, value)) {
      doubt(`${path}: as JSON it is ${asJson.text.slice(0, 80)}, the record has ${String(value)}`)
    }
  }
  const answer = await reader.json(where) as Row | undefined
  if (answer !== undefined && answer.result !== record.totalSupply) refuse(`${where}: result is not data.totalSupply`)
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
  { market, doubt }: Checking, mint: string, where: string, row: Row, names: ReadonlyArray<readonly [string, string]>
): Promise<void> {
  const record = await market.supply(mint)
  if (record === undefined) return doubt(`${where}: /api/supply/${mint} has no record`)
  for (const [here, there] of names) {
    if (decimal(row[here]) === undefined || !same(row[here], record[there])) {
      doubt(`${where}: ${here} is ${JSON.stringify(row[here])}, /api/supply has ${String(record[there])}`)
    }
  }
}

/** Whether a part is more than the whole. */
export function checkPart (
  where: string, part: Rational | undefined, whole: Rational | undefined, refuse: Refuse
): void {
  if (part !== undefined && whole !== undefined && compare(part, whole) > 0) {
    refuse(`${where}: more circulates than there is`)
  }
}
