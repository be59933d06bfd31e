/**
 * Makes a pool's figures again with a JSON-RPC node alone. State comes from the DAO's account and events, volumes,
 * trades and candles from each transaction. None of the service's code takes part, and nothing it says is taken for
 * true: settings are the operator's word, given as flags (their defaults are the service's).
 */
import { readCommandLine, refuse, texts } from './command-line.js'
import { besideAdapter, readVaults } from './verify/adapter.js'
import { compareAll, type Word } from './verify/compare.js'
import { nodeAt } from './verify/node.js'
import { readAll } from './verify/read.js'

const USAGE =
  'npm run verify -- --pool ADDRESS [--url http://127.0.0.1:3000] [--rpc https://api.mainnet-beta.solana.com] ' +
  '[--days 1] [--taker-fee-rate 0.005] [--quote-notional 100] [--usd-mints MINT,…] ' +
  '[--usd-priced-mints MINT:POOL,…] [--usd-min-depth 10000] [--volume-basis input] [--adapter]'
const DOLLARS = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v,Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const { values } = readCommandLine(USAGE, {
  ...texts('url', 'rpc', 'pool', 'days', 'taker-fee-rate', 'quote-notional', 'usd-mints', 'usd-priced-mints',
    'usd-min-depth', 'volume-basis'),
  adapter: { type: 'boolean' }
})
const { url = 'http://127.0.0.1:3000', rpc = 'https://api.mainnet-beta.solana.com', pool: address = '' } = values
const days = Number(values.days ?? 1)
const isRight = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) && [url, rpc].every(place => URL.canParse(place)) &&
  Number.isInteger(days) && days > 0
if (!isRight) refuse(USAGE)
const listed = (text: string): string[] => text.split(',').filter(part => part !== '')
const word: Word = {
  takerFeeRate: values['taker-fee-rate'] ?? '0.005',
  quoteNotional: values['quote-notional'] ?? '100',
  usdMints: listed(values['usd-mints'] ?? DOLLARS),
  pricedBy: new Map(listed(values['usd-priced-mints'] ?? '').map(pair => pair.split(':') as [string, string])),
  usdMinDepth: values['usd-min-depth'] ?? '10000',
  basis: values['volume-basis'] === 'fees' ? 'fees' : 'input'
}
for (const rate of [word.takerFeeRate, word.quoteNotional, word.usdMinDepth]) {
  if (!/^\d+(\.\d+)?$/.test(rate)) refuse(`${rate}: a decimal: ${USAGE}`)
}

const node = nodeAt(rpc)
const { served, chain } = await readAll(url, node, address, days, word)
const { groups, notes } = compareAll(served, chain, word)
if (values.adapter === true) {
  const { lines, group } = besideAdapter(served, chain, await readVaults(node, chain.pool))
  if (word.basis === 'input') groups.push(group)
  for (const line of lines) console.log(line)
}
for (const { what, compared, different } of groups) {
  console.log(`${what}: ${compared} fields, ${different.length === 0 ? 'equal' : `${different.length} different`}`)
  for (const line of different) console.log(`  ${line}`)
}
for (const note of notes) console.log(note)
const isEqual = groups.every(({ different }) => different.length === 0)
console.log(isEqual ? 'equal' : 'different')
if (!isEqual) process.exitCode = 1
