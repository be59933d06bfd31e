import type { Checking } from './check.js'
import { checkKnown } from './reader.js'
import { fields, isLess } from './rules.js'
import { compareSupply, readPlain } from './supply.js'

/** Jupiter's supplies, held against the plain-text ones that CoinGecko and CoinMarketCap read. */
export async function checkJupiter (checking: Checking): Promise<void> {
  const { reader, market, refuse, compared } = checking
  const mints = [...new Set((await market.lookedAt()).map(({ base }) => String(base.mint)))]
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
