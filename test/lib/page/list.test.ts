import t from 'tap'
import { pageList } from '../../../lib/page/list.js'
import type { Pool } from '../../../schemas/pools.js'
import { POOLS, TREASURIES, USDC } from '../../system/browser/market-data.js'

const NO_TEXTS = new Map()
const pools = POOLS as unknown as Pool[]
const listOf = (pools: Pool[], tokens = NO_TEXTS) =>
  pageList({ pools, tokens }, dao => TREASURIES.find(row => row.dao === dao))

t.test('sums are exact, and none of what is not known', async t => {
  const [meta, huge, one, kelp] = ['META', 'HUGE', 'HUGE1', 'KELP']
    .map(symbol => pools.find(({ base }) => base.symbol === symbol)!) as [Pool, Pool, Pool, Pool]
  t.same(listOf([meta, huge, one]).totals, {
    count: 3,
    volume: '18014398510765385.12',
    alike: 3,
    trades: meta.trades_24h! + huge.trades_24h! + one.trades_24h!,
    liquidity: '18014398518894865.44'
  })
  const elsewhere = { ...kelp, quote: { ...kelp.quote, mint: 'another' } }
  t.match(listOf([meta, elsewhere]).totals, { count: 2, alike: 1, volume: '1283400.12' }, 'of one quote token')
  t.match(listOf([meta, { ...kelp, target_volume_24h: null, trades_24h: null }]).totals, { volume: null, trades: null })
  t.match(listOf([]).totals, { count: 0, volume: '0', trades: 0, liquidity: '0' })
})

t.test('a row has what is known of the treasury, and never a zero for what is not', async t => {
  const { byId, rows } = listOf(pools)
  t.match(byId.get(TREASURIES[0]!.dao), { nav_per_token: '4.210000000000', premium: '0.5399' })
  const others = rows.filter(row => row.pool_id !== TREASURIES[0]!.dao)
  t.ok(others.every(row => row.nav_per_token === null && row.premium === null))
})

t.test('what names may pretend', async t => {
  const token = (mint: string, symbol: string, name = '') => ({ mint, symbol, name, decimals: 6 })
  const usdc = token(USDC, 'USDC', 'USD Coin')
  const pool = (id: string, base: ReturnType<typeof token>, quote = usdc, priced = true): Pool =>
    ({ ...pools[0]!, pool_id: id, base, quote, priced_in_usd: priced })
  const list = [
    pool('a', token('A', 'META', 'Meta')), pool('b', token('B', 'ΜEТA\u200b', 'Other')),
    pool('c', token('A', 'META', 'Meta')),
    pool('d', token('D', '', 'meta')), pool('e', token('E', 'ORE'), token('F', 'ＵSDC'), false),
    pool('g', token('G', 'SOL'), usdc), pool('h', token('H', ''))
  ]
  const marks = listOf(list).rows.map(row => row.marks)
  t.same(marks, [['symbol', 'name'], ['symbol'], ['symbol', 'name'], ['name'], ['dollar'], [], []])
  const long = new Map([['H', { whole: { symbol: `SOL${'\u200b'.repeat(60)}`, name: '' } }]])
  t.same(listOf(list, long).byId.get('h')?.marks, ['symbol'], 'a text too long for a list too')
})
