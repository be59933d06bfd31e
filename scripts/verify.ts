/**
 * Makes a pool's figures again with a JSON-RPC node alone. State comes from the DAO's account and events, volumes,
 * trades and candles from each transaction. None of the service's code takes part, and nothing it says is taken for
 * true: settings are the operator's word, given as flags (their defaults are the service's).
 */
import { setTimeout } from 'node:timers/promises'
import { lasting } from './checks/rounds.js'
import { httpUrl, readCommandLine, refuse, runScript, texts, wholeNumber } from './command-line.js'
import { besideAdapter, readVaults } from './verify/adapter.js'
import { compareAll, type Group, type Word } from './verify/compare.js'
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
const MAX_DAYS = 10_000
const listed = (text: string): string[] => text.split(',').filter(part => part !== '')
/** By which a difference is known again. */
const nameOf = (line: string): string => line.slice(0, line.indexOf(': '))

await runScript(async () => {
  const { url = 'http://127.0.0.1:3000', rpc = 'https://api.mainnet-beta.solana.com', pool: address = '' } = values
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return refuse(USAGE)
  const service = httpUrl('url', url).href.replace(/\/+$/, '')
  const days = wholeNumber('days', values.days ?? '1', 1, MAX_DAYS)
  const basis = values['volume-basis'] ?? 'input'
  if (basis !== 'input' && basis !== 'fees') return refuse(`--volume-basis ${basis}: input or fees`)
  const word: Word = {
    takerFeeRate: values['taker-fee-rate'] ?? '0.005',
    quoteNotional: values['quote-notional'] ?? '100',
    usdMints: listed(values['usd-mints'] ?? DOLLARS),
    pricedBy: new Map(listed(values['usd-priced-mints'] ?? '').map(pair => pair.split(':') as [string, string])),
    usdMinDepth: values['usd-min-depth'] ?? '10000',
    basis
  }
  for (const rate of [word.takerFeeRate, word.quoteNotional, word.usdMinDepth]) {
    if (!/^\d+(\.\d+)?$/.test(rate)) refuse(`${rate}: a decimal: ${USAGE}`)
  }
  const node = nodeAt(httpUrl('rpc', rpc).href)

  let last: { groups: Group[], notes: string[], lines: string[] } | undefined
  const found = await lasting(async () => {
    const { served, chain } = await readAll(service, node, address, days, word)
    const { groups, notes } = compareAll(served, chain, word)
    const day = values.adapter === true
      ? besideAdapter(served, chain, await readVaults(node, chain.pool))
      : undefined
    if (day !== undefined && word.basis === 'input') groups.push(day.group)
    last = { groups, notes, lines: day?.lines ?? [] }
    return new Map(groups.flatMap(({ different }) => different.map(line => [nameOf(line), line])))
  }, setTimeout)
  const { groups, notes, lines } = last!
  for (const line of lines) console.log(line)
  for (const { what, compared, different } of groups) {
    const lasts = different.filter(line => found.has(nameOf(line)))
    console.log(`${what}: ${compared} fields, ${lasts.length === 0 ? 'equal' : `${lasts.length} different`}`)
    for (const line of lasts) console.log(`  ${line}`)
  }
  for (const note of notes) console.log(note)
  console.log(found.size === 0 ? 'equal' : 'different')
  if (found.size > 0) process.exitCode = 1
})
