import t from 'tap'
import { cardSource, drawCard, marketSource } from '../../../lib/page/card.js'

const NAMES = { base: 'META', quote: 'USDC', name: 'A name', mint: 'FBm5…FBYn', quoteMint: 'EPjF…Dt1v' }
const FIGURES = { price: '0.91234', change: '−3.42 %', volume: '1.283 M USDC', liquidity: '$12.40' }
const FACTS = { ...NAMES, ...FIGURES, week: [null, 74, 99, 0] }

t.test('an image of the size that others expect, whatever is known', async t => {
  for (const facts of [FACTS, { ...NAMES, name: '', price: '1' }, { ...FACTS, week: [null, 50] }]) {
    const image = await drawCard(cardSource(facts))
    t.same([...image.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    t.same([image.readUInt32BE(16), image.readUInt32BE(20)], [1200, 630])
  }
  const [bare, whole] = [await drawCard(cardSource({ ...FACTS, base: 'M' })), await drawCard(cardSource(FACTS))]
  t.notOk(bare.equals(whole), 'letters are drawn')
})

t.test('a price that is written with a power of ten keeps it', async t => {
  t.match(
    cardSource({ ...FACTS, price: '1.2346 × 10⁻¹¹', volume: '1.283\u202fM USDC' }),
    />1\.2346 × 10⁻¹¹<.*>1\.283 M USDC</s
  )
})

t.test('texts of strangers are text alone, of letters that the font has, and bounded', async t => {
  const source = cardSource({ ...FACTS, base: '<b>&"', name: '🚀 Ｍoon 漢 ©🇨🇭' })
  t.match(source, '&lt;b&gt;&amp;&quot;')
  t.match(source, '>Moon © · FBm5…FBYn<', 'neither emoji nor what the font has no letter for, and the mint beside it')
  const unwritten = cardSource({ ...FACTS, base: '🚀漢', quote: '🇨🇭' })
  t.match(unwritten, /fill="#e7ecea">FBm5…FBYn<tspan[^>]*> \/ EPjF…Dt1v</, 'of a symbol of which nothing is left')
  const marks = `a${'\u0301'.repeat(4_000)}`
  for (const long of ['W'.repeat(4_096), marks.repeat(20), '&'.repeat(4_096), '👨‍👩‍👧'.repeat(500)]) {
    const facts = { ...FACTS, base: long, quote: long, name: long }
    t.ok(cardSource(facts).length < 6_000, `${cardSource(facts).length}`)
    const begun = process.cpuUsage()
    t.ok((await drawCard(cardSource(facts))).length < 100_000)
    const { user, system } = process.cpuUsage(begun)
    t.ok(user + system < 400_000, `${(user + system) / 1000} ms`)
  }
})

t.test('the market: its totals and the deepest pools, whatever is known', async t => {
  const rows = ['<b>', '漢', 'W'.repeat(4_096)].map(base => ({ ...FACTS, base }))
  const source = marketSource({ pools: 21, liquidity: '$12.40 M', rows })
  t.match(source, '>21 pools<')
  t.match(source, />&lt;b&gt;<tspan[^>]*> FBm5…FBYn</)
  t.ok(source.length < 4_000, `${source.length}`)
  const images = await Promise.all([source, marketSource({ pools: 0, rows: [] })].map(drawCard))
  for (const image of images) t.same([image.readUInt32BE(16), image.readUInt32BE(20)], [1200, 630])
  t.notOk(images[0]!.equals(images[1]!))
})

t.test('an image has the time of its figures', async t => {
  t.match(cardSource(FACTS, '2026-01-02 03:04:05 UTC'), '>2026-01-02 03:04:05 UTC</text>')
  t.match(marketSource({ pools: 0, rows: [] }, '2026-01-02 03:04:05 UTC'), '>2026-01-02 03:04:05 UTC<')
})
