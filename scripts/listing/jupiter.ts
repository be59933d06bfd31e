import type { Checking } from './check.js'
import { checkKnown } from './reader.js'
import { amount, isRow } from './rules.js'
import { checkPart, compareSupply } from './supply.js'

/** Jupiter's supplies, held against the plain-text ones that CoinGecko and CoinMarketCap read. */
export async function checkJupiter ({ reader, market, refuse, compared, ...rest }: Checking): Promise<void> {
  const mints = [...new Set((await market.lookedAt()).map(({ base }) => String(base.mint)))]
  if (mints.length === 0) refuse('/jupiter: no token to look at')
  for (const mint of mints) {
    const where = `/jupiter/supply/${mint}`
    const [total, circulating] = [await reader.json(`${where}/total`), await reader.json(`${where}/circulating`)]
    if (!isRow(total) || !isRow(circulating)) {
      refuse(`${where}: no objects`)
      continue
    }
    const all = amount(total, 'totalSupply', `${where}/total`, refuse, { form: 'number', isPositive: true })
    checkPart(
      where,
      amount(circulating, 'circulatingSupply', `${where}/circulating`, refuse, { form: 'number' }),
      all,
      refuse
    )
    await compareSupply(
      { reader, market, refuse, compared, ...rest },
      mint,
      where,
      { ...total, ...circulating },
      [['totalSupply', 'totalSupply'], ['circulatingSupply', 'circulatingSupply']]
    )
    for (const kind of ['total', 'circulating']) {
      const path = `/api/supply/${mint}/${kind}`
      const plain = await reader.plain(path)
      if (plain !== undefined && !/^\d+(\.\d+)?$/.test(plain)) {
        refuse(`${path}: not the number alone as plain text: ${plain.slice(0, 80)}`)
      }
    }
    await checkKnown(reader, `${where}/total`, refuse)
  }
  compared(`${mints.length} tokens with /api/supply`)
}
