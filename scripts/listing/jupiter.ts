import { compare } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import { checkKnown } from './reader.js'
import { amount, isRow } from './rules.js'
import { compareSupply, readPlain } from './supply.js'

/** Jupiter's supplies, held against the plain-text ones that CoinGecko and CoinMarketCap read. */
export async function checkJupiter (checking: Checking): Promise<void> {
  const { reader, market, refuse, compared } = checking
  const mints = [...new Set((await market.lookedAt()).map(({ base }) => String(base.mint)))]
  if (mints.length === 0) refuse('/jupiter: no token to look at')
  for (const mint of mints) {
    const where = `/jupiter/supply/${mint}`
    const [total, circulating] = [await reader.json(`${where}/total`), await reader.json(`${where}/circulating`)]
    if (!isRow(total) || !isRow(circulating)) {
      refuse(`${where}: no objects`)
      continue
    }
    const whole = amount(total, 'totalSupply', `${where}/total`, refuse, { form: 'number', isPositive: true })
    const part = amount(circulating, 'circulatingSupply', `${where}/circulating`, refuse, { form: 'number' })
    if (part !== undefined && whole !== undefined && compare(part, whole) > 0) {
      refuse(`${where}: more circulates than there is`)
    }
    await compareSupply(checking, mint, where, { ...total, ...circulating })
    for (const kind of ['total', 'circulating']) await readPlain(checking, `/api/supply/${mint}/${kind}`)
    await checkKnown(reader, `${where}/total`, refuse)
  }
  compared(`${mints.length} tokens with /api/supply`)
}
