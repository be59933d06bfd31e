/**
 * Defects that were real, or nearly: each put back by replacing one piece of a file, seldom two. A piece must stand
 * there exactly once, so that a defect that no longer applies is noticed and written anew.
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
    sentence: 'A state counts as current however old it was when it was read: ' +
      'a node that has stopped passes for fresh.',
    file: 'lib/live/fresh.ts',
    find: 'time.age(part.time) - since > CURRENT_MS[part.commitment] ? Infinity : since',
    put: 'since'
  },
  {
    name: 'clock-step',
    by: 15,
    sentence: 'Ages and schedules go by the wall clock: set back by an hour, ' +
      'prices and history stand still for that hour.',
    file: 'plugins/chain.ts',
    find: 'const clock: Clock = now === undefined ? systemClock :',
    put: 'const clock: Clock = now === undefined ? { ...systemClock, now: systemClock.epoch } :'
  },
  {
    name: 'trade-left-out',
    by: 310,
    sentence: 'Figures end where the walk has come, though a node has left a trade out of the lists that it has read.',
    file: 'lib/history/indexing/reconcile.ts',
    find: '      verifiedTo,\n      isLost',
    put: '      verifiedTo: verifiedTo && walked!,\n      isLost'
  },
  {
    name: 'version-refused',
    by: 3,
    sentence: 'Version 1 transactions are not admitted: four in ten swaps can\'t be read.',
    file: 'lib/chain/transactions.ts',
    find: 'maxSupportedTransactionVersion: 1',
    put: 'maxSupportedTransactionVersion: 0'
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
    find: 'if (missing.length > 0) {',
    put: 'if (missing.length < 0) {'
  },
  {
    name: 'incomplete-listed',
    by: 39,
    sentence: 'A DAO with missing events is listed, with the volume of those that are there.',
    file: 'lib/responses/tickers.ts',
    find: 'if (!complete) unknown.add(dao)',
    put: 'if (false) unknown.add(dao)'
  },
  {
    name: 'window-never-ends',
    by: 15,
    sentence: 'Swaps enter the last 24 hours and never leave them.',
    file: 'lib/history/volumes/window.ts',
    find: 'make(some, end - span, end)',
    put: 'make(some, 0, end)'
  },
  {
    name: 'forged-event',
    by: 5052,
    sentence: 'Any account will do for the event authority: look-alikes count.',
    file: 'lib/protocol/events.ts',
    find: ' || accounts[instruction.accounts[0]!] !== eventAuthority) continue',
    put: ') continue'
  },
  {
    name: 'stale-as-fresh',
    by: 3,
    sentence: 'A kept answer was always read just now: it is never renewed, and never says that it is old.',
    file: 'lib/live/fresh.ts',
    find: 'Math.max(longest, time.age(part.time) - since > CURRENT_MS[part.commitment] ? Infinity : since)',
    put: 'Math.min(longest, since)'
  },
  {
    name: 'lagging-at-first',
    by: 3002,
    sentence: 'The preferred node is believed, however old its state, and no other is asked for a younger one.',
    file: 'lib/chain/failover.ts',
    find: 'isEnough: age <= CURRENT_MS[commitment]',
    put: 'isEnough: true'
  },
  {
    name: 'lag-as-fresh',
    by: 235,
    sentence: 'A list of accounts is as old as the Clock beside it, however far that is past the slot of the list.',
    file: 'lib/chain/moment.ts',
    find: 'const time = Math.max(0, Math.floor(clock.time - before * pace))',
    put: 'const time = Math.max(0, Math.floor(clock.time + 0 * before * pace))'
  },
  {
    name: 'slot-for-clock',
    by: 3016,
    sentence: 'A list of accounts is dated by its context.slot alone, which is not the slot of the data.',
    file: 'lib/chain/moment.ts',
    find: 'const before = Math.max(0, clock.slot - slot)',
    put: 'const before = clock.slot - slot'
  },
  {
    name: 'date-against-all',
    by: 3009,
    sentence: 'The `Date` of the nodes is believed, against the machine\'s clock and the chain together.',
    file: 'lib/chain/moment.ts',
    find: 'const others = [facts.clock, ...dates.values()]',
    put: 'const others = dates.size > 0 ? [...dates.values()] : [facts.clock]',
    and: {
      file: 'lib/chain/moment.ts',
      find: 'const witnesses = chain === -Infinity ? others : [...others, chain]',
      put: 'const witnesses = others'
    }
  },
  {
    name: 'newest-part',
    by: 36,
    sentence: 'An answer is as old as the newest of its parts.',
    file: 'lib/live/fresh.ts',
    find: 'age: Math.max(0, ...parts.map(part => time.age(part.time)))',
    put: 'age: Math.min(...parts.map(part => time.age(part.time)))'
  },
  {
    name: 'future-taken',
    by: 3010,
    sentence: 'A moment of the future is taken.',
    file: 'lib/chain/moment.ts',
    find: 'if (offset > utcOf(facts, at, chain).besideChain + FUTURE_MS) return false',
    put: ''
  },
  {
    name: 'frozen-head',
    by: 36,
    sentence: 'The head of the history is of now, however old the finalized moment is that the node shows.',
    file: 'lib/history/indexing/reconcile.ts',
    find: 'if (walked === undefined || (asked.slot > walked.slot && asked.time >= walked.time)) walked = asked',
    put: 'walked = { ...asked, time: Math.floor(Date.now() / 1000) }'
  },
  {
    name: 'stale-without-age',
    by: 54,
    sentence: 'A stale answer does not say its age.',
    file: 'plugins/cached-response.ts',
    find: 'left === 0 && age > 0',
    put: 'left > 0 && age < 0'
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
    find: 'let slot = verifiedTo.slot',
    put: 'let slot = verifiedTo.slot + 50'
  },
  {
    name: 'late-swap-not-summed',
    by: 39,
    sentence: 'The sum of a day stays what it first was: a swap that is stored late does not reach it.',
    file: 'lib/history/volumes/daily.ts',
    find: 'days.set(...entryOf(row))',
    put: 'if (known === 0 || entryOf(row)[0] >= [...days.keys()].sort().at(-1)!) days.set(...entryOf(row))'
  },
  {
    name: 'grown-event-unread',
    by: 34,
    sentence: 'An event that an upgrade has made longer is not read: every DAO that trades is hidden.',
    file: 'lib/protocol/events/decode.ts',
    find: 'endOf(at) < data.length && isPool(data, at)',
    put: 'endOf(at) === data.length'
  },
  {
    name: 'mint-forgotten',
    by: 274,
    sentence: 'A mint that a node gives with another owner is no mint any more.',
    file: 'lib/live/tokens.ts',
    find: 'if (token !== null && !(token instanceof ServiceError)) kept.set(mint, { token, at })',
    put: 'if (!(token instanceof ServiceError)) kept.set(mint, { token: token!, at })'
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
    file: 'lib/history/rules/completeness.ts',
    find: 'const found = gaps.flatMap(ofGap)',
    put: 'const found = gaps.slice(0, 0).flatMap(ofGap)'
  },
  {
    name: 'fees-basis',
    by: 3,
    sentence: 'Volumes are worked out from fees, which a swap of dust rounds up.',
    file: 'schemas/settings.ts',
    find: '\'auto\'], \'input\'',
    put: '\'auto\'], \'fees\''
  },
  {
    name: 'window-by-the-day',
    by: 3,
    sentence: 'The last 24 hours begin an hour late.',
    file: 'lib/history/volumes/volumes.ts',
    find: '= [sumsOf(DAY), sumsOf(WEEK)',
    put: '= [sumsOf(82_800), sumsOf(WEEK)'
  },
  {
    name: 'rate-starved',
    by: 22,
    sentence: 'A rate that was lowered, at rest to what was accepted, is never tried to be more.',
    file: 'lib/chain/rate.ts',
    find: 'if (isTried)',
    put: 'if (bucket.low === Infinity && isTried)',
    and: { file: 'lib/chain/rate.ts', find: 'isAtRest ? Math.max(counted, AT_REST * rate) : counted', put: 'counted' }
  },
  {
    name: 'behind-in-a-halt',
    by: 327,
    sentence: 'While the chain has halted any head counts as reached, also one that was minutes behind before.',
    file: 'lib/chain/timekeeper.ts',
    find: 'if (now !== undefined) return age(time) - age(now.time)',
    put: 'if (now !== undefined) return 0'
  },
  {
    name: 'numbers-forgotten',
    by: 310,
    sentence: 'What accounts have shown to be missing at the end of a DAO\'s events is forgotten with a restart.',
    file: 'lib/history/store/state.ts',
    find: "('numbersAhead', [])",
    put: "('none', [])"
  },
  {
    name: 'method-for-all',
    by: 21,
    sentence: 'One method that is refused is taken for a limit of all calls.',
    file: 'lib/chain/rate.ts',
    find: 'own.isOwn ? own',
    put: 'own.isOwn && stated !== undefined ? own'
  },
  {
    name: 'outage-for-a-limit',
    by: 20,
    sentence: 'A node that refuses everything for a minute is asked as rarely afterwards: ' +
      'that nothing was accepted is taken for its limit.',
    file: 'lib/chain/rate.ts',
    find: 'if (isAtRest && since - before >= AGAIN_MS) return',
    put: '',
    and: { file: 'lib/chain/rate.ts', find: 'isAtRest ? Math.max(counted, AT_REST * rate) : counted', put: 'counted' }
  },
  {
    name: 'unknown-kind-unjudged',
    by: 423,
    sentence: 'An event of an unknown kind hides its DAO, ' +
      'though the events on both sides show that its pool was left alone.',
    file: 'lib/history/indexing/judge.ts',
    find: 'found.get(seq)! ? MOVED : null',
    put: 'MOVED'
  },
  {
    name: 'unexecuted-for-executed',
    by: 5046,
    sentence: 'Only an instruction\'s error makes a transaction a failed one: ' +
      'those that never ran lack their inner instructions, and count as missing.',
    file: 'lib/chain/parse-transaction.ts',
    find: 'failed: err !== null',
    put: 'failed: isRecord(err)',
    and: {
      file: 'lib/protocol/events.ts',
      find: 'if (meta.err !== null) return []',
      put: 'if (meta.err !== null && typeof meta.err !== \'string\') return []'
    }
  },
  {
    name: 'unknown-method-for-illness',
    by: 8127,
    sentence: 'A method that a node does not know is taken for illness of the node, ' +
      'which is left alone with all that it has.',
    file: 'lib/chain/failover.ts',
    find: 'return rpcCode === METHOD_NOT_FOUND',
    put: 'return false',
    and: {
      file: 'lib/chain/node-errors.ts',
      find: '|| fault.rpcCode === UNWELL',
      put: '|| [UNWELL, -32601].includes(fault.rpcCode ?? 0)'
    }
  },
  {
    name: 'notifications-for-all',
    by: 5049,
    sentence: 'While the WebSocket is up the head is looked at only when it wakes: ' +
      'what it leaves out waits for what it does not.',
    file: 'lib/history/indexing/indexer.ts',
    find: 'Math.min(listeningMs, FOLLOWED_MS) : listeningMs',
    put: 'Math.min(listeningMs, FOLLOWED_MS) : Infinity'
  },
  {
    name: 'utc-behind-the-chain',
    by: 180,
    sentence: 'A clock that is behind alone, once no other witness agrees with another, ' +
      'makes UTC earlier than states that have been shown.',
    file: 'lib/chain/moment.ts',
    find: 'Math.max(...isAlone ? others : beside)',
    put: 'Math.max(...beside)',
    and: {
      file: 'lib/chain/moment.ts',
      find: 'offset: Math.max(besideChain, freshestOf(facts))',
      put: 'offset: besideChain'
    }
  },
  {
    name: 'short-list-kept',
    by: 10_005,
    sentence: 'A list without the DAOs whose events have been stored meanwhile is served until it is too old.',
    file: 'lib/live/snapshot.ts',
    find: 'part.isRefuted = true',
    put: 'part.isRefuted = false'
  }
]
