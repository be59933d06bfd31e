/** Worlds that once failed, cut down, each with the sentence of what it found; and small ones in which defects that were put back show. */
import type { Plan } from './plan.js'

export const KEPT: Array<{ found: string, plan: Plan }> = [
  {
    found: 'A node alone stood still, and its prices were served as fresh while the market moved on.',
    plan: { seed: 3, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 5, past: { days: 1, swaps: 94 }, weather: 213, every: 18, events: [{ at: 154, for: 56, node: 0, weather: { kind: 'freeze' } }] }
  },
  {
    found: 'The wall clock was set back by an hour, and prices stood still without a word.',
    plan: { seed: 15, nodes: 1, finalityLag: 1, bulk: true, kind: 'small', daos: 4, past: { days: 1, swaps: 446 }, weather: 453, every: 55, events: [{ at: 366, clock: -3_600_000 }] }
  },
  {
    found: 'A known DAO was missing from a list of accounts, and from the report for as long as the node left it out.',
    plan: { seed: 25, nodes: 3, finalityLag: 32, bulk: false, kind: 'own', daos: 5, past: { days: 1, swaps: 90 }, weather: 300, every: 53, events: [{ at: 200, for: 90, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } }] }
  },
  {
    found: 'After eleven minutes without a node, windows ended where the chain clock had stopped: ten minutes of trades were left out.',
    plan: { seed: 5, nodes: 1, finalityLag: 32, bulk: false, kind: 'small', daos: 3, past: { days: 1, swaps: 120 }, weather: 833, every: 64, events: [{ at: 71, for: 727, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-id' } } }] }
  },
  {
    found: 'While a bulk call for the head was on its way, reading back looped without a pause: no answer ever came in, and the process hung.',
    plan: { seed: 1, nodes: 1, finalityLag: 1, bulk: true, kind: 'small', daos: 4, past: { days: 1, swaps: 5 }, weather: 20, every: 64, events: [] }
  },
  {
    found: 'One finalized slot far too high, and the head of the history counted as standing still until a restart.',
    plan: { seed: 19, nodes: 2, finalityLag: 0, bulk: false, kind: 'own', daos: 3, past: { days: 1, swaps: 60 }, weather: 90, every: 15, events: [{ at: 19, for: 106, node: 0, weather: { kind: 'fault', rule: { kind: 'slot-jump-ahead', value: 1_000_000_000, times: 2 } } }] }
  },
  {
    found: 'The chain clock stood with a node alone, which then went on without giving block times: windows ended where it had stood.',
    plan: { seed: 54, nodes: 1, finalityLag: 0, bulk: false, kind: 'own', daos: 3, past: { days: 4, swaps: 217 }, weather: 440, every: 10, events: [{ at: 30, for: 330, node: 0, weather: { kind: 'freeze' } }, { at: 340, for: 80, node: 0, weather: { kind: 'fault', rule: { kind: 'refuse', method: 'getBlockTime' } } }] }
  },
  {
    found: 'The preferred node was five minutes behind when the process started, and moved: what it showed was served as fresh.',
    plan: { seed: 3, nodes: 2, finalityLag: 1, bulk: true, kind: 'small', daos: 5, past: { days: 1, swaps: 58 }, weather: 60, every: 10, events: [{ at: 1, for: 120, process: 'outage' }, { at: 2, for: 40, node: 0, weather: { kind: 'lag', slots: 800 } }] }
  },
  {
    found: 'Mints came with a wrong owner once their texts were read anew: the list was empty, and the total nought.',
    plan: { seed: 190, nodes: 1, finalityLag: 32, bulk: true, kind: 'own', daos: 2, past: { days: 1, swaps: 40 }, weather: 160, every: 51, events: [{ at: 60, for: 95, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } } }] }
  },
  {
    found: 'The count of the worlds was wrong, not the service: when a halted chain goes on, windows end where it stood until what follows is final.',
    plan: { seed: 69, nodes: 2, finalityLag: 32, bulk: false, kind: 'own', daos: 2, past: { days: 2, swaps: 418 }, weather: 420, every: 29, events: [{ at: 60, for: 300, chain: 'halt' }] }
  },
  {
    found: 'The good node went away, the other fell five minutes behind: after a minute nobody knew any more how far the chain had been, and old prices were fresh.',
    plan: { seed: 234, nodes: 2, finalityLag: 32, bulk: false, kind: 'own', daos: 3, past: { days: 3, swaps: 60 }, weather: 170, every: 6, events: [{ at: 30, for: 140, node: 0, weather: { kind: 'down' } }, { at: 60, for: 110, node: 1, weather: { kind: 'lag', slots: 713 } }] }
  },
  {
    found: 'Nothing became final any more on a node that went on: its breaker opened, and the state of the DAOs went stale with the history.',
    plan: { seed: 36, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 3, past: { days: 1, swaps: 60 }, weather: 200, every: 8, events: [{ at: 40, for: 160, node: 0, weather: { kind: 'finality' } }] }
  },
  {
    found: 'Finality stood when the process started: minutes of trades were left out of volumes served as fresh.',
    plan: { seed: 10, nodes: 1, finalityLag: 1, bulk: false, kind: 'documented', daos: 3, past: { days: 1, swaps: 60 }, weather: 190, every: 8, events: [{ at: 20, for: 170, node: 0, weather: { kind: 'finality' } }, { at: 160, process: 'restart' }] }
  },
  {
    found: 'One method was refused for a minute, and the rate of all calls never grew again: the node was lost until a restart.',
    plan: { seed: 11, nodes: 1, finalityLag: 1, bulk: false, kind: 'documented', daos: 3, past: { days: 4, swaps: 371 }, weather: 124, every: 53, events: [{ at: 0, for: 71, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getProgramAccounts', value: 1 } } }] }
  },
  {
    found: 'A list of accounts was short when the process started again: a DAO that the store knew was missing, without a reason.',
    plan: { seed: 53, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 2, past: { days: 1, swaps: 60 }, weather: 170, every: 20, events: [{ at: 120, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } }, { at: 130, process: 'restart' }] }
  },
  {
    found: 'A node stood before the history had asked it anything, and went on: only then could be known how old its finalized slot had been, and nobody asked again.',
    plan: { seed: 46, nodes: 1, finalityLag: 32, bulk: false, kind: 'own', daos: 4, past: { days: 1, swaps: 60 }, weather: 330, every: 4, events: [{ at: 10, for: 200, process: 'outage' }, { at: 11, for: 81, node: 0, weather: { kind: 'freeze' } }, { at: 12, for: 77, node: 0, weather: { kind: 'down' } }, { at: 13, for: 121, node: 0, weather: { kind: 'finality' } }] }
  },
  {
    found: 'Mints came with a wrong owner when the process started: what was no mint then stayed none for a hundred seconds, the dollar among them, and nothing was served.',
    plan: { seed: 274, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 2, past: { days: 1, swaps: 40 }, weather: 80, every: 54, events: [{ at: 0, for: 36, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } } }] }
  },
  {
    found: 'The disk was full, and only what is published was to be written: /ready and the metrics had no word of it.',
    plan: { seed: 2, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 2, past: { days: 1, swaps: 60 }, weather: 400, every: 30, events: [{ at: 60, for: 150, disk: { error: 'full', at: 'rows' } }, { at: 250, for: 60, disk: { error: 'full', at: 'commits' } }] }
  },
  {
    found: 'No DAO could be listed, and the report of DAOs said for a quarter of an hour that the tickers had one of them.',
    plan: { seed: 31, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 2, past: { days: 2, swaps: 40 }, weather: 150, every: 5, events: [{ at: 20, chain: 'upgrade' }, { at: 40, chain: 'unknown' }, { at: 42, chain: 'unknown' }, { at: 44, chain: 'unknown' }, { at: 46, chain: 'unknown' }] }
  },
  {
    found: 'For defects put back: a list that is short, one slot far too high, a mint that is said not to be.',
    plan: { seed: 25, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 3, past: { days: 1, swaps: 60 }, weather: 330, every: 20, events: [{ at: 80, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } }, { at: 150, for: 50, node: 0, weather: { kind: 'fault', rule: { kind: 'slot-jump-ahead', method: 'getProgramAccounts', value: 1_000_000, times: 1 } } }, { at: 215, for: 110, node: 0, weather: { kind: 'fault', rule: { kind: 'no-account', method: 'getMultipleAccounts', value: 4 } } }] }
  },
  {
    found: 'For defects put back: signatures in no list, found days later.',
    plan: { seed: 39, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 3, past: { days: 4, swaps: 120 }, weather: 80, every: 12, events: [{ at: 0, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 3 } } }] }
  },
  {
    found: 'For defects put back: a dollar that is none at first contact.',
    plan: { seed: 29, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 3, past: { days: 1, swaps: 60 }, weather: 30, every: 20, events: [{ at: 0, for: 25, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } } }] }
  },
  {
    found: 'A swap in the form of a new release, first met while its pool had a live proposal, was left out of a block range that had been given.',
    plan: { seed: 120, nodes: 2, finalityLag: 32, bulk: true, kind: 'own', daos: 3, past: { days: 1, swaps: 236 }, weather: 700, every: 36, events: [{ at: 114, for: 99, node: 0, weather: { kind: 'fault', rule: { kind: 'other-signature', times: 5 } } }, { at: 464, chain: 'upgrade' }, { at: 484, chain: 'launch' }] }
  },
  {
    found: 'For defects put back: what a stranger may do, an upgrade, another network.',
    plan: { seed: 34, nodes: 1, finalityLag: 1, bulk: false, kind: 'own', daos: 3, past: { days: 1, swaps: 60 }, weather: 150, every: 8, events: [{ at: 12, chain: 'hostile' }, { at: 14, chain: 'hostile' }, { at: 16, chain: 'hostile' }, { at: 20, chain: 'forged' }, { at: 22, chain: 'forged' }, { at: 24, chain: 'forged' }, { at: 26, chain: 'forged' }, { at: 28, chain: 'forged' }, { at: 30, chain: 'forged' }, { at: 40, chain: 'upgrade' }, { at: 90, for: 30, process: 'network' }] }
  }
]
