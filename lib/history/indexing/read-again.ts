import { decodeEvent } from '../../protocol/events.js'
import type { StoredEvent } from '../rules/types.js'
import type { Store } from '../store/store.js'
import type { ReadAgain, StepWriter } from './step-writer.js'

/** Events looked at in one turn. */
const PAGE = 2000

/** The event as this version understands it; undefined: it does not, either. */
function readAgain (stored: StoredEvent): ReadAgain | undefined {
  const { raw, ...body } = decodeEvent(stored.raw!)
  if (raw !== null || body.seq !== stored.seq || (body.dao !== null && body.dao !== stored.dao)) return undefined
  const { name: kind, swap, liquidity, fees, reserves, keepsFees, user, proposal } = body
  return {
    event: { ...stored, kind, swap: swap === null ? null : { ...swap, fee: null }, liquidity, fees, reserves, reason: null, raw: null, maker: user ?? stored.maker },
    keepsFees,
    proposal
  }
}

/**
 * Reads once more what was stored as not understood: an older version may have written it, and this one know its form. Each start tries, so nobody has to
 * remember which version knew what; where nothing is new it costs the reading of those events alone. The function takes a turn that a step can come
 * between, and says whether there is more to do.
 */
export function createReadAgain (store: Store, writer: StepWriter): () => Promise<boolean> {
  let after: { dao: string, seq: bigint } | null = null
  return async () => {
    const page = await store.rawEvents(after, PAGE)
    const understood = new Map<string, ReadAgain[]>()
    for (const stored of page) {
      const event = readAgain(stored)
      if (event === undefined) continue
      const known = understood.get(stored.dao)
      if (known === undefined) understood.set(stored.dao, [event])
      else known.push(event)
    }
    for (const [dao, events] of understood) await writer.replace(dao, events)
    const last = page.at(-1)
    if (last !== undefined) after = { dao: last.dao, seq: last.seq }
    return page.length === PAGE
  }
}
