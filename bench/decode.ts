/**
 * Reading swap events: ours by offsets against Anchor's coder, alternating in one run.
 * `npm run bench -- decode [--rounds 5]`. Both from the event's bytes, and from the base58 text in which a node gives
 * them. Anchor gives every field as an object; ours gives what the history keeps.
 */
import { parseArgs } from 'node:util'
import { BorshEventCoder, utils, type Idl } from '@coral-xyz/anchor'
import type { RawTransaction } from '../lib/chain/types.js'
import { readEvents } from '../lib/protocol/events.js'
import { decodeBase58 } from '../lib/protocol/base58.js'
import { decodeEvent } from '../lib/protocol/events/decode.js'
import idl from '../idl/futarchy.json' with { type: 'json' }
import { createLedger } from '../simulator/index.js'

const { values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '5' } } })
const ROUND_MS = 300
const TAG_LENGTH = 8

const ledger = createLedger({ seed: 3 })
const daos = Array.from(
  { length: 50 },
  () => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n })
)
const first = ledger.history.length
for (let at = 0; at < 500; at++) {
  ledger.advance(7)
  daos[at % 50]!.swap(at % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_000 + at))
}
const transactions = Array.from(
  { length: 500 }, (_, at) => JSON.parse(ledger.history.json(first + at)) as RawTransaction
)
const texts = transactions.map(tx => tx.meta.innerInstructions![0]!.instructions.at(-1)!.data)
const events = texts.map(text => decodeBase58(text)!)
const bodies = events.map(data => data.subarray(TAG_LENGTH).toString('base64'))
const coder = new BorshEventCoder(idl as Idl)

const WORK: Record<string, () => unknown[]> = {
  'an event, ours': () => events.map(decodeEvent),
  'an event, Anchor': () => bodies.map(body => coder.decode(body)),
  'base58, ours': () => texts.map(decodeBase58),
  'base58, bs58': () => texts.map(text => utils.bytes.bs58.decode(text)),
  'a transaction, ours': () => transactions.map(tx => readEvents(tx, ledger.program, ledger.eventAuthority)),
  'a transaction, bs58 and Anchor': () => texts.map(
    text => coder.decode(utils.bytes.base64.encode(Buffer.from(utils.bytes.bs58.decode(text)).subarray(TAG_LENGTH)))
  )
}

/** Microseconds per event. */
function measure (work: () => unknown[]): number {
  const begun = performance.now()
  let done = 0
  while (performance.now() - begun < ROUND_MS) {
    const results = work()
    if (results.includes(undefined) || results.includes(null)) throw new Error('an event was not read')
    done += results.length
  }
  return (performance.now() - begun) * 1000 / done
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1]!
const found = new Map(Object.keys(WORK).map(name => [name, [] as number[]]))
for (const work of Object.values(WORK)) measure(work)
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, work] of Object.entries(WORK)) found.get(name)!.push(measure(work))
}
const names = [...found.keys()]
for (let at = 0; at < names.length; at += 2) {
  const [ours, theirs] = [median(found.get(names[at]!)!), median(found.get(names[at + 1]!)!)]
  console.log(
    `${names[at]}: ${ours.toFixed(2)} µs; ${names[at + 1]}: ${theirs.toFixed(2)} µs; ` +
      `ratio ${(theirs / ours).toFixed(1)}`
  )
}
