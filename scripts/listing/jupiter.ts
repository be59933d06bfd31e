import { amount, compareSupply, type Get, isRow, readJson, type Refuse } from './rules.js'

const LOOKED_AT = 5

/** Jupiter's supplies, and the plain-text ones that CoinGecko and CoinMarketCap read. */
export async function checkJupiter (get: Get, refuse: Refuse): Promise<void> {
  const pairs = await readJson(get, '/coingecko/pairs', refuse)
  const mints = Array.isArray(pairs) ? [...new Set(pairs.filter(isRow).map(({ base }) => String(base)))].slice(0, LOOKED_AT) : []
  if (mints.length === 0) refuse('no token to look at')
  for (const mint of mints) {
    const [total, circulating] = [await readJson(get, `/jupiter/supply/${mint}/total`, refuse), await readJson(get, `/jupiter/supply/${mint}/circulating`, refuse)]
    if (!isRow(total) || !isRow(circulating)) {
      refuse(`/jupiter/supply/${mint}: no objects`)
      continue
    }
    const all = amount(total, 'totalSupply', `/jupiter/supply/${mint}/total`, refuse, { form: 'number', isPositive: true })
    const some = amount(circulating, 'circulatingSupply', `/jupiter/supply/${mint}/circulating`, refuse, { form: 'number' })
    if (!compareSupply(some, all)) refuse(`${mint}: more circulates than there is`)
    for (const kind of ['total', 'circulating']) {
      const { status, type, text } = await get(`/api/supply/${mint}/${kind}`)
      if (status !== 200 || !type.startsWith('text/plain') || !/^\d+(\.\d+)?$/.test(text)) refuse(`/api/supply/${mint}/${kind}: not the number alone as plain text: ${text.slice(0, 80)}`)
    }
  }
}
