/**
 * Defects that were real, or nearly: each put back by replacing one piece of a file, seldom two. A piece must stand there exactly once, so that a
 * defect that no longer applies is noticed and written anew.
 */
export interface Defect {
  name: string
  /** Seed of the kept world that finds it: those are tried first. */
  by: number
  /** What the service would do. */
  sentence: string
  file: string
  find: string
  put: string
  /** A second piece, where two rules hold the same and each is enough. */
  and?: { file: string, find: string, put: string }
}

/** What is replaced, once each. */
export const piecesOf = ({ file, find, put, and }: Defect) => [{ file, find, put }, ...and === undefined ? [] : [and]]

export const DEFECTS: Defect[] = [
  {
    name: 'frozen-node',
    by: 54,
    sentence: 'The age of a state counts from the answer: a node that stands still passes for fresh.',
    file: 'lib/live/snapshot.ts',
    find: 'const seenAt = ages.seenAt(slot)',
    put: 'const seenAt = now()'
  },
  {
    name: 'clock-step',
    by: 15,
    sentence: 'Ages and schedules go by the wall clock: set back by an hour, prices and history stand still for that hour.',
    file: 'plugins/chain.ts',
    find: 'const clock: Clock = now === undefined ? systemClock :',
    put: 'const clock: Clock = now === undefined ? { ...systemClock, now: systemClock.epoch } :'
  },
  {
    name: 'version-refused',
    by: 3,
    sentence: 'Version 1 transactions are not admitted: four in ten swaps can\'t be read.',
    file: 'lib/chain/transactions.ts',
    find: 'const MAX_VERSION = 1',
    put: 'const MAX_VERSION = 0'
  },
  {
    name: 'unbound-store',
    by: 34,
    sentence: 'A store of one network is filled and served from another.',
    file: 'lib/history/store/create-store.ts',
    find: 'if (kept === genesis) return',
    put: 'return'
  },
  {
    name: 'short-answer',
    by: 53,
    sentence: 'A known DAO that a list of accounts leaves out is taken for gone.',
    file: 'lib/chain/accounts.ts',
    find: 'if (missing.length > 0) throw',
    put: 'if (missing.length < 0) throw'
  },
  {
    name: 'slot-mark',
    by: 27,
    sentence: 'One answer with a slot far too high becomes the mark that every later one is held to.',
    file: 'lib/chain/slots.ts',
    find: 'if (impossible(slot, now)) return \'impossible\'',
    put: ''
  },
  {
    name: 'incomplete-listed',
    by: 39,
    sentence: 'A DAO with missing events is listed, with the volume of those that are there.',
    file: 'lib/responses/tickers.ts',
    find: 'if (!complete) incomplete.add(dao)',
    put: 'if (false) incomplete.add(dao)'
  },
  {
    name: 'window-never-ends',
    by: 15,
    sentence: 'Swaps enter the last 24 hours and never leave them.',
    file: 'lib/history/volumes/last-24h.ts',
    find: 'countSeconds(now - DAY, to - DAY, -1)',
    put: ''
  },
  {
    name: 'forged-event',
    by: 310,
    sentence: 'Any account will do for the event authority: look-alikes count.',
    file: 'lib/protocol/events.ts',
    find: ' || accounts[instruction.accounts[0]!] !== eventAuthority) continue',
    put: ') continue'
  },
  {
    name: 'stale-as-fresh',
    by: 3,
    sentence: 'The age of a kept answer is always nought: it is never renewed, and never says that it is old.',
    file: 'lib/live/fresh.ts',
    find: 'const age = Math.max(0, now() - at)',
    put: 'const age = Math.max(0, at - now())'
  },
  {
    name: 'chain-clock-stands',
    by: 54,
    sentence: 'The chain goes on after a halt, nobody gives its block time, and windows end where it stood.',
    file: 'lib/chain/chain-clock.ts',
    find: 'if (mark === undefined || carryMs === Infinity || slot <= mark.slot) return false',
    put: 'return false'
  },
  {
    name: 'lagging-at-first',
    by: 3,
    sentence: 'The preferred node is believed before any other has been asked where it is.',
    file: 'lib/chain/client.ts',
    find: 'await firstLook()',
    put: ''
  },
  {
    name: 'lag-as-fresh',
    by: 235,
    sentence: 'What a node shows is as old as the answer, however far the chain is past its slot.',
    file: 'lib/live/slot-ages.ts',
    find: 'now() - pastMs(slot))',
    put: 'now() + 0 * pastMs(slot))'
  },
  {
    name: 'frozen-head',
    by: 36,
    sentence: 'The head of the history counts as reached on a slot that does not move, however far the chain is past it.',
    file: 'lib/history/indexing/indexer.ts',
    find: 'for (const head of [finalized, reached]) if (head !== null) head.at = headSeenAt(head, now(), pastMs)',
    put: 'finalized = { ...finalized, at: now() }'
  },
  {
    name: 'stale-without-age',
    by: 54,
    sentence: 'A stale answer does not say its age.',
    file: 'plugins/cached-response.ts',
    find: 'if (left === 0 && age > 0)',
    put: 'if (left > 0 && age < 0)'
  },
  {
    name: 'unpriced-summed',
    by: 34,
    sentence: 'A token that the settings give no value counts as a dollar.',
    file: 'lib/market/usd.ts',
    find: 'ONE : prices.get(mint)',
    put: 'ONE : prices.get(mint) ?? ONE'
  },
  {
    name: 'latest-block-ahead',
    by: 54,
    sentence: 'Blocks are told before they are final and compared.',
    file: 'lib/history/rules/published-slot.ts',
    find: 'let slot = verifiedSlot',
    put: 'let slot = verifiedSlot + 50'
  },
  {
    name: 'late-swap-not-summed',
    by: 39,
    sentence: 'A swap that is stored late does not reach the sum of its day.',
    file: 'lib/history/volumes/daily.ts',
    find: 'put(found.rows, made)',
    put: 'put(found.rows.filter(({ day }) => day >= edge), made)'
  },
  {
    name: 'grown-event-unread',
    by: 31,
    sentence: 'An event that an upgrade has made longer is not read: every DAO that trades is hidden.',
    file: 'lib/protocol/events.ts',
    find: 'readGrown(data, accounts) ?? null',
    put: 'readGrown(data, []) && null'
  },
  {
    name: 'mint-forgotten',
    by: 25,
    sentence: 'A mint that a node gives with another owner is no mint any more.',
    file: 'lib/live/tokens.ts',
    find: 'read ?? kept.peek(mint)?.token ?? null',
    put: 'read'
  },
  {
    name: 'dollar-of-nought',
    by: 274,
    sentence: 'A dollar whose account can\'t be read makes the total nought.',
    file: 'lib/responses/sources.ts',
    find: 'tokens.get(mint) === null)',
    put: 'tokens.get(mint) === null && false)'
  },
  {
    name: 'gap-ignored',
    by: 39,
    sentence: 'Missing numbers of a DAO do not make its volume incomplete.',
    file: 'lib/history/volumes/volumes.ts',
    find: 'return !sequenceGaps.get(dao)?.some(',
    put: 'return !sequenceGaps.get(dao)?.slice(0, 0).some('
  },
  {
    name: 'fees-basis',
    by: 3,
    sentence: 'Volumes are worked out from fees, which a swap of dust rounds up.',
    file: 'schemas/settings.ts',
    find: 'default: \'input\'',
    put: 'default: \'fees\''
  },
  {
    name: 'window-by-the-day',
    by: 3,
    sentence: 'The last 24 hours begin an hour late.',
    file: 'lib/history/volumes/last-24h.ts',
    find: 'import { DAY } from \'../../time.js\'',
    put: 'const DAY = 82_800'
  },
  {
    name: 'finality-against-node',
    by: 36,
    sentence: 'A finalized slot that is far behind counts against the node: its breaker opens, and prices go with the history.',
    file: 'lib/chain/slots.ts',
    find: 'reason: \'finality\' })',
    put: 'reason: \'behind\' })'
  },
  {
    name: 'finality-at-first',
    by: 10,
    sentence: 'The first finalized slot is the head, however far the chain is past it: nobody asks first where the chain is, nor is the head older once that shows.',
    file: 'lib/chain/client.ts',
    find: 'const ask: Send = watchMs === 0\n',
    put: 'const ask: Send = watchMs === 0 || nodes.length === 1\n',
    and: {
      file: 'lib/history/indexing/indexer.ts',
      find: 'for (const head of [finalized, reached]) if (head !== null) head.at = headSeenAt(head, now(), pastMs)',
      put: ''
    }
  },
  {
    name: 'rate-starved',
    by: 11,
    sentence: 'A rate of few calls in a long window is never tried to be more.',
    file: 'lib/chain/rate.ts',
    find: '>= Math.floor(found.calls * Math.min(level, 1) * USED)',
    put: '>= found.calls * Math.min(level, 1) * USED'
  },
  {
    name: 'behind-in-a-halt',
    by: 327,
    sentence: 'While the chain stands any head counts as reached, also one that was minutes behind before.',
    file: 'lib/history/status.ts',
    find: 'now - headAt - haltedMs > staleMs',
    put: 'haltedMs === 0 && now - headAt > staleMs'
  },
  {
    name: 'numbers-forgotten',
    by: 310,
    sentence: 'What accounts have shown to be missing at the end of a DAO\'s events is forgotten with a restart.',
    file: 'lib/history/indexing/reconcile.ts',
    find: '= writer.state.numbersAhead\n',
    put: '= new Map()\n'
  },
  {
    name: 'method-for-all',
    by: 520,
    sentence: 'One method that is refused again and again is taken for a limit of all calls.',
    file: 'lib/chain/limit-met.ts',
    find: 'const TELLING = 3',
    put: 'const TELLING = Infinity'
  },
  {
    name: 'outage-for-a-limit',
    by: 462,
    sentence: 'A node that refuses everything for a minute is asked as rarely afterwards: calls that were given up count as accepted.',
    file: 'lib/chain/pace.ts',
    find: "if (replies.some(reply => !('error' in reply) || faultOf(reply.error)?.reason === 'rpc-error')) {",
    put: 'if (refusals < positions.length) {',
    and: {
      file: 'lib/chain/rate.ts',
      find: 'acceptedAt > to - windowMs ?',
      put: 'true ?'
    }
  },
  {
    name: 'swap-without-before',
    by: 423,
    sentence: 'A swap of a new form is never read where the event before it is not understood.',
    file: 'lib/history/indexing/grown-events.ts',
    find: 'swapWithoutBefore(grown, state, proven)',
    put: 'undefined'
  },
  {
    name: 'line-broken-off',
    by: 1011,
    sentence: 'A node that lags behind the same address breaks off what proves how far the chain is.',
    file: 'lib/chain/slots.ts',
    find: 'isStride || isLine || goesOn',
    put: 'isStride || goesOn'
  },
  {
    name: 'time-that-stood',
    by: 917,
    sentence: 'The last 24 hours end where the chain\'s time stood, though the head has gone on.',
    file: 'plugins/history.ts',
    find: 'onHeadSlot: chain.noteFinalized,\n',
    put: '\n'
  }
]
