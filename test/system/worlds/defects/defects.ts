/**
 * Defects that were real, or nearly: each put back by replacing one piece of a file. The piece must stand there exactly once, so that a
 * defect that no longer applies is noticed and written anew.
 */
export interface Defect {
  name: string
  /** What the service would do. */
  sentence: string
  file: string
  find: string
  put: string
}

export const DEFECTS: Defect[] = [
  {
    name: 'frozen-node',
    sentence: 'The age of a state counts from the answer: a node that stands still passes for fresh.',
    file: 'lib/live/snapshot.ts',
    find: 'const seenAt = ages.seenAt(slot)',
    put: 'const seenAt = now()'
  },
  {
    name: 'clock-step',
    sentence: 'Ages and schedules go by the wall clock: set back by an hour, prices and history stand still for that hour.',
    file: 'plugins/chain.ts',
    find: 'const clock: Clock = now === undefined ? systemClock :',
    put: 'const clock: Clock = now === undefined ? { ...systemClock, now: systemClock.epoch } :'
  },
  {
    name: 'version-refused',
    sentence: 'Version 1 transactions are not admitted: four in ten swaps can\'t be read.',
    file: 'lib/chain/transactions.ts',
    find: 'const MAX_VERSION = 1',
    put: 'const MAX_VERSION = 0'
  },
  {
    name: 'unbound-store',
    sentence: 'A store of one network is filled and served from another.',
    file: 'lib/history/store/create-store.ts',
    find: 'if (kept === genesis) return',
    put: 'return'
  },
  {
    name: 'chain-clock-stops',
    sentence: 'Without a node the chain clock stops after two minutes, and windows end there once the node is back.',
    file: 'lib/chain/chain-clock.ts',
    find: 'Math.min(carryMs, clock.now() - mark.at)',
    put: 'Math.min(120_000, clock.now() - mark.at)'
  },
  {
    name: 'short-answer',
    sentence: 'A known DAO that a list of accounts leaves out is taken for gone.',
    file: 'lib/chain/accounts.ts',
    find: 'if (missing > 0) throw',
    put: 'if (missing < 0) throw'
  },
  {
    name: 'slot-mark',
    sentence: 'One answer with a slot far too high becomes the mark that every later one is held to.',
    file: 'lib/chain/slots.ts',
    find: 'if (impossible(slot, now)) return \'impossible\'',
    put: ''
  },
  {
    name: 'incomplete-listed',
    sentence: 'A DAO with missing events is listed, with the volume of those that are there.',
    file: 'lib/responses/tickers.ts',
    find: '.filter(([, { complete }]) => !complete)',
    put: '.filter(() => false)'
  },
  {
    name: 'window-never-ends',
    sentence: 'Swaps enter the last 24 hours and never leave them.',
    file: 'lib/history/volumes/last-24h.ts',
    find: 'countSeconds(now - DAY, to - DAY, -1)',
    put: ''
  },
  {
    name: 'failed-counted',
    sentence: 'Swaps of failed transactions count.',
    file: 'lib/protocol/events.ts',
    find: 'if (meta.err !== null) return []',
    put: ''
  },
  {
    name: 'forged-event',
    sentence: 'Any account will do for the event authority: look-alikes count.',
    file: 'lib/protocol/events.ts',
    find: ' || accounts[instruction.accounts[0]!] !== eventAuthority) continue',
    put: ') continue'
  },
  {
    name: 'stale-as-fresh',
    sentence: 'The age of a kept answer is always nought: it is never renewed, and never says that it is old.',
    file: 'lib/live/fresh.ts',
    find: 'const age = Math.max(0, now() - at)',
    put: 'const age = Math.max(0, at - now())'
  }
]
