/**
 * Worlds that once failed, cut down, each with the sentence of what it found; and small ones in which defects that were
 * put back show.
 */
import { KEPT_CLUSTER } from './kept-cluster.js'
import type { Plan, WorldEvent } from './plan.js'

/** A few pools that trade every four seconds, and five days of past. */
const WEEK: Omit<Plan, 'seed' | 'events'> = {
  nodes: 1, finalityLag: 32, bulk: false, kind: 'own', daos: 3, past: { days: 5, swaps: 80 }, weather: 400, every: 4
}

/** The same who trade every second. */
const BUSY: Omit<Plan, 'seed' | 'events'> = { ...WEEK, finalityLag: 1, past: { days: 1, swaps: 60 }, every: 1 }

const refusedFor = (at: number, seconds: number, method: string): WorldEvent =>
  ({ at, for: seconds, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit', method } } })

/** Four of them, a second apart. */
const bursts = (from: number): WorldEvent[] => Array.from({ length: 4 }, (_, at) => ({ at: from + at, chain: 'burst' }))

export const KEPT: Array<{ found: string, plan: Plan }> = [
  {
    found: 'A short list of a start, read before the store was, was believed.',
    plan: {
      ...WEEK,
      seed: 3106,
      nodes: 2,
      weather: 200,
      events: [
        { at: 100, for: 60, process: 'outage' },
        { at: 101, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts' } } }
      ]
    }
  },
  {
    found: 'A node alone stood still, and its prices were served as fresh while the market moved on.',
    plan: {
      seed: 3,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 1, swaps: 94 },
      weather: 213,
      every: 18,
      events: [{ at: 154, for: 56, node: 0, weather: { kind: 'freeze' } }]
    }
  },
  {
    found: 'The wall clock was set back by an hour, and prices stood still without a word.',
    plan: {
      seed: 15,
      nodes: 1,
      finalityLag: 1,
      bulk: true,
      kind: 'small',
      daos: 4,
      past: { days: 1, swaps: 446 },
      weather: 453,
      every: 55,
      events: [{ at: 366, clock: -3_600_000 }]
    }
  },
  {
    found: 'A known DAO was missing from a list of accounts, and from the report for as long as the node left it out.',
    plan: {
      seed: 25,
      nodes: 3,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 1, swaps: 90 },
      weather: 300,
      every: 53,
      events: [{ at: 200, for: 90, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } }]
    }
  },
  {
    found: 'After eleven minutes without a node, windows ended where the chain clock had stopped: ' +
      'ten minutes of trades were left out.',
    plan: {
      seed: 5,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'small',
      daos: 3,
      past: { days: 1, swaps: 120 },
      weather: 833,
      every: 64,
      events: [{ at: 71, for: 727, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-id' } } }]
    }
  },
  {
    found: 'While a bulk call for the head was on its way, reading back looped without a pause: ' +
      'no answer ever came in, and the process hung.',
    plan: {
      seed: 1,
      nodes: 1,
      finalityLag: 1,
      bulk: true,
      kind: 'small',
      daos: 4,
      past: { days: 1, swaps: 5 },
      weather: 20,
      every: 64,
      events: []
    }
  },
  {
    found: 'One finalized slot far too high, and the head of the history counted as standing still until a restart.',
    plan: {
      seed: 19,
      nodes: 2,
      finalityLag: 0,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 90,
      every: 15,
      events: [{
        at: 19,
        for: 106,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'slot-jump-ahead', value: 1_000_000_000, times: 2 } }
      }]
    }
  },
  {
    found: 'The chain clock stood with a node alone, which then went on without giving block times: ' +
      'windows ended where it had stood.',
    plan: {
      seed: 54,
      nodes: 1,
      finalityLag: 0,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 4, swaps: 217 },
      weather: 440,
      every: 10,
      events: [
        { at: 30, for: 330, node: 0, weather: { kind: 'freeze' } },
        { at: 340, for: 80, node: 0, weather: { kind: 'fault', rule: { kind: 'refuse', method: 'getBlockTime' } } }
      ]
    }
  },
  {
    found: 'The preferred node was five minutes behind when the process started, and moved: ' +
      'what it showed was served as fresh.',
    plan: {
      seed: 3,
      nodes: 2,
      finalityLag: 1,
      bulk: true,
      kind: 'small',
      daos: 5,
      past: { days: 1, swaps: 58 },
      weather: 60,
      every: 10,
      events: [
        { at: 1, for: 120, process: 'outage' }, { at: 2, for: 40, node: 0, weather: { kind: 'lag', seconds: 320 } }
      ]
    }
  },
  {
    found: 'Mints came with a wrong owner once their texts were read anew: the list was empty, and the total nought.',
    plan: {
      seed: 190,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 160,
      every: 51,
      events: [{
        at: 60,
        for: 95,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } }
      }]
    }
  },
  {
    found: 'The count of the worlds was wrong, not the service: when a halted chain goes on, ' +
      'windows end where it stood until what follows is final.',
    plan: {
      seed: 69,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 2, swaps: 418 },
      weather: 420,
      every: 29,
      events: [{ at: 60, for: 300, chain: 'halt' }]
    }
  },
  {
    found: 'The good node went away, the other fell five minutes behind: ' +
      'after a minute nobody knew any more how far the chain had been, and old prices were fresh.',
    plan: {
      seed: 234,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 3, swaps: 60 },
      weather: 170,
      every: 6,
      events: [
        { at: 30, for: 140, node: 0, weather: { kind: 'down' } },
        { at: 60, for: 110, node: 1, weather: { kind: 'lag', seconds: 285 } }
      ]
    }
  },
  {
    found: 'Nothing became final any more on a node that went on: its breaker opened, ' +
      'and the state of the DAOs went stale with the history.',
    plan: {
      seed: 36,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 200,
      every: 8,
      events: [{ at: 40, for: 160, node: 0, weather: { kind: 'finality' } }]
    }
  },
  {
    found: 'Finality stood when the process started: minutes of trades were left out of volumes served as fresh.',
    plan: {
      seed: 10,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'documented',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 190,
      every: 8,
      events: [{ at: 20, for: 170, node: 0, weather: { kind: 'finality' } }, { at: 160, process: 'restart' }]
    }
  },
  {
    found: 'One method was refused for a minute, and the rate of all calls never grew again: ' +
      'the node was lost until a restart.',
    plan: {
      seed: 11,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'documented',
      daos: 3,
      past: { days: 4, swaps: 371 },
      weather: 124,
      every: 53,
      events: [{
        at: 0,
        for: 71,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getProgramAccounts', value: 1 } }
      }]
    }
  },
  {
    found: 'A list of accounts was short when the process started again: a DAO that the store knew was missing, ' +
      'without a reason.',
    plan: {
      seed: 53,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 60 },
      weather: 170,
      every: 20,
      events: [
        { at: 120, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } },
        { at: 130, process: 'restart' }
      ]
    }
  },
  {
    found: 'A node stood before the history had asked it anything, and went on: ' +
      'only then could be known how old its finalized slot had been, and nobody asked again.',
    plan: {
      seed: 46,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 4,
      past: { days: 1, swaps: 60 },
      weather: 330,
      every: 4,
      events: [
        { at: 10, for: 200, process: 'outage' }, { at: 11, for: 81, node: 0, weather: { kind: 'freeze' } },
        { at: 12, for: 77, node: 0, weather: { kind: 'down' } },
        { at: 13, for: 121, node: 0, weather: { kind: 'finality' } }
      ]
    }
  },
  {
    found: 'Mints came with a wrong owner when the process started: what was no mint then stayed none for a hundred ' +
      'seconds, the dollar among them, and nothing was served.',
    plan: {
      seed: 274,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 80,
      every: 54,
      events: [{
        at: 0,
        for: 36,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } }
      }]
    }
  },
  {
    found: 'The disk was full, and only what is published was to be written: /ready and the metrics had no word of it.',
    plan: {
      seed: 2,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 60 },
      weather: 400,
      every: 30,
      events: [
        { at: 60, for: 150, disk: { error: 'full', at: 'rows' } },
        { at: 250, for: 60, disk: { error: 'full', at: 'commits' } }
      ]
    }
  },
  {
    found: 'No DAO could be listed, and the report of DAOs said for a quarter of an hour ' +
      'that the tickers had one of them.',
    plan: {
      seed: 31,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 2, swaps: 40 },
      weather: 150,
      every: 5,
      events: [
        { at: 20, chain: 'upgrade' }, { at: 40, chain: 'unknown' }, { at: 42, chain: 'unknown' },
        { at: 44, chain: 'unknown' }, { at: 46, chain: 'unknown' }
      ]
    }
  },
  {
    found: 'A node that had stood for nine minutes went on: the history had come to its head before the chain\'s ' +
      'time had been read anew, and a window ended minutes ago.',
    plan: {
      seed: 917,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'small',
      daos: 5,
      past: { days: 4, swaps: 70 },
      weather: 665,
      every: 61,
      events: [
        { at: 3, chain: 'collect' }, { at: 102, for: 555, node: 0, weather: { kind: 'freeze' } },
        { at: 252, burst: { clients: 37, requests: 1 } },
        { at: 610, for: 120, node: 0, weather: { kind: 'latency', ms: 931 } }
      ]
    }
  },
  {
    found: 'A node that listed nothing at all: all that the accounts had numbered was taken for older than its ' +
      'lists, and a block range was given without it.',
    plan: {
      seed: 1328,
      nodes: 3,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 4, swaps: 302 },
      weather: 25,
      every: 43,
      events: [{ at: 0, for: 73, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 1 } } }]
    }
  },
  {
    found: 'A node whose finality stood, of older software, answered an unknown cursor with an empty list: ' +
      'what lay behind was taken for lost, and a block range was given without it.',
    plan: {
      seed: 1466,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 4, swaps: 267 },
      weather: 478,
      every: 62,
      events: [
        { at: 2, for: 891, node: 0, weather: { kind: 'finality' } },
        { at: 350, for: 848, node: 0, weather: { kind: 'older' } }, { at: 406, chain: 'burst' }
      ]
    }
  },
  {
    found: 'A node had refused everything for a minute, and calls on their way, or given up, counted as accepted: ' +
      'it was asked once in ten seconds after that.',
    plan: {
      seed: 462,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 3,
      past: { days: 2, swaps: 82 },
      weather: 234,
      every: 10,
      events: [{ at: 100, for: 78, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit', value: 10 } } }]
    }
  },
  {
    found: 'For defects put back: a list that is short, a mint that is said not to be.',
    plan: {
      seed: 25,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 330,
      every: 20,
      events: [{ at: 80, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts', value: 1 } } }, {
        at: 215,
        for: 110,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'no-account', method: 'getMultipleAccounts', value: 4 } }
      }]
    }
  },
  {
    found: 'For defects put back: slots far too high for a while, whoever reads the accounts then.',
    plan: {
      seed: 27,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 150,
      every: 20,
      events: [{
        at: 50,
        for: 20,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'slot-jump-ahead', method: 'getProgramAccounts', value: 1_000_000 } }
      }]
    }
  },
  {
    found: 'For defects put back: accounts of a minute ago, from a node whose other answers are of now.',
    plan: {
      seed: 235,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 170,
      every: 3,
      events: [{
        at: 30,
        for: 140,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 56 } }
      }]
    }
  },
  {
    found: 'For defects put back: signatures in no list, found days later.',
    plan: {
      seed: 39,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 4, swaps: 120 },
      weather: 80,
      every: 12,
      events: [{ at: 0, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 3 } } }]
    }
  },
  {
    found: 'For defects put back: a dollar that is none at first contact.',
    plan: {
      seed: 29,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 30,
      every: 20,
      events: [{
        at: 0,
        for: 25,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'wrong-owner', method: 'getMultipleAccounts' } }
      }]
    }
  },
  {
    found: 'For defects put back: the calls for accounts and for transactions refused side by side for a minute; ' +
      'the rate of all falls to few calls, and grows again.',
    plan: {
      seed: 11,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 200 },
      weather: 75,
      every: 53,
      events: [
        {
          at: 0,
          for: 70,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getProgramAccounts', value: 1 } }
        },
        {
          at: 0,
          for: 70,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getTransaction', value: 1 } }
        }
      ]
    }
  },
  {
    found: 'For defects put back: one method refused from the start; ' +
      'half a minute after that the accounts are there, and fresh.',
    plan: {
      seed: 520,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 60 },
      weather: 130,
      every: 17,
      events: [{
        at: 0,
        for: 60,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getProgramAccounts', value: 5 } }
      }]
    }
  },
  {
    found: 'A swap in the form of a new release, first met while its pool had a live proposal, ' +
      'was left out of a block range that had been given.',
    plan: {
      seed: 120,
      nodes: 2,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 236 },
      weather: 700,
      every: 36,
      events: [
        { at: 114, for: 99, node: 0, weather: { kind: 'fault', rule: { kind: 'other-signature', times: 5 } } },
        { at: 464, chain: 'upgrade' }, { at: 484, chain: 'launch' }
      ]
    }
  },
  {
    found: 'The history had been behind for minutes, on a full disk, when the chain came to stand: ' +
      'its old volumes were served as those of the halt.',
    plan: {
      seed: 327,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'plan',
      daos: 5,
      past: { days: 4, swaps: 113 },
      weather: 240,
      every: 11,
      events: [{ at: 60, for: 170, disk: { error: 'full', at: 'rows' } }, { at: 160, for: 110, chain: 'halt' }]
    }
  },
  {
    found: 'What a node had left out at the end of a DAO\'s events was known to be missing, ' +
      'and forgotten with a restart: the volume lacked it.',
    plan: {
      seed: 310,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'public',
      daos: 2,
      past: { days: 2, swaps: 204 },
      weather: 276,
      every: 26,
      events: [
        { at: 0, for: 13, node: 0, weather: { kind: 'fault', rule: { kind: 'other-signature', times: 8 } } },
        {
          at: 40, for: 123, node: 0, weather: { kind: 'fault', rule: { kind: 'reset', method: 'getProgramAccounts' } }
        },
        { at: 174, chain: 'forged' },
        { at: 176, for: 85, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 3 } } },
        { at: 270, process: 'restart' }
      ]
    }
  },
  {
    found: 'An event that nobody understands, then a release in which swaps have grown: ' +
      'the first swap behind it could not prove itself and hid its DAO for a day.',
    plan: {
      seed: 423,
      nodes: 2,
      finalityLag: 1,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 4, swaps: 134 },
      weather: 700,
      every: 57,
      events: [{ at: 566, chain: 'unknown' }, { at: 570, chain: 'upgrade' }]
    }
  },
  {
    found: 'One method was refused for half a minute; that was taken for the limit of all calls, ' +
      'and prices were too old to be served a minute after it.',
    plan: {
      seed: 520,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 3, swaps: 113 },
      weather: 2083,
      every: 17,
      events: [{
        at: 1985,
        for: 38,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getProgramAccounts', value: 5 } }
      }]
    }
  },
  {
    found: 'A node that had refused everything for a minute was asked once in five seconds long after: ' +
      'what had been accepted before was taken for its limit.',
    plan: {
      seed: 461,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 3,
      past: { days: 2, swaps: 82 },
      weather: 338,
      every: 36,
      events: [
        { at: 10, for: 593, node: 0, weather: { kind: 'older' } },
        { at: 204, for: 78, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit', value: 5 } } }
      ]
    }
  },
  {
    found: 'Behind the address of a slow node one of two was a minute behind with its accounts: ' +
      'the other\'s slots were soon forgotten, and old prices were fresh.',
    plan: {
      seed: 1006,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'documented',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 240,
      every: 4,
      events: [{
        at: 60,
        for: 180,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 56 } }
      }]
    }
  },
  {
    found: 'The same, further behind: each return to the other passed for a quick chain, and eighty seconds for forty.',
    plan: {
      seed: 1034,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 40 },
      weather: 240,
      every: 4,
      events: [{
        at: 60,
        for: 180,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 80 } }
      }]
    }
  },
  {
    found: 'The same after a node had stood for ten minutes: the one that lagged broke off each stride of the other, ' +
      'and nothing proved any more how far the chain was.',
    plan: {
      seed: 1011,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'documented',
      daos: 3,
      past: { days: 1, swaps: 40 },
      weather: 760,
      every: 8,
      events: [{ at: 10, for: 648, node: 0, weather: { kind: 'freeze' } }, {
        at: 560,
        for: 300,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 40 } }
      }]
    }
  },
  {
    found: 'Accounts had been read in the midst of a slot, before a swap of it that its node then listed to nobody: ' +
      'a block range that ended there was given without it.',
    plan: {
      seed: 602,
      nodes: 2,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 5,
      past: { days: 2, swaps: 260 },
      weather: 250,
      every: 10,
      events: [
        { at: 217, for: 33, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 2 } } }
      ]
    }
  },
  {
    found: 'Transactions were listed and not given, and the accounts had not been compared with what was stored: ' +
      'sums that lacked them called themselves complete.',
    plan: {
      seed: 1077,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'documented',
      daos: 3,
      past: { days: 2, swaps: 80 },
      weather: 230,
      every: 15,
      events: [
        {
          at: 0,
          for: 182,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getMultipleAccounts', value: 40 } }
        },
        {
          at: 61,
          for: 237,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getTransaction', value: 800 } }
        }
      ]
    }
  },
  {
    found: 'After an outage of a minute what a node had shown before it proved nothing any more: ' +
      'a method that lagged made prices of eighty seconds ago pass for fresh.',
    plan: {
      seed: 2139,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'small',
      daos: 4,
      past: { days: 2, swaps: 334 },
      weather: 758,
      every: 43,
      events: [{
        at: 618,
        for: 159,
        node: 0,
        weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 80 } }
      }, { at: 665, for: 71, node: 0, weather: { kind: 'down' } }]
    }
  },
  {
    found: 'The preferred of two nodes had been dead for three hours: the market of then was served as fresh, ' +
      'and the healthy node\'s slots thrown away.',
    plan: {
      ...WEEK,
      seed: 3002,
      nodes: 2,
      serves: 20,
      events: [{ at: 0, for: 400, node: 0, weather: { kind: 'lag', seconds: 10_800, pace: 0 } }]
    }
  },
  {
    found: 'A node alone was always eighty seconds behind, and all that it showed passed for fresh.',
    plan: {
      ...WEEK, seed: 3003, weather: 760, events: [{ at: 0, for: 800, node: 0, weather: { kind: 'lag', seconds: 80 } }]
    }
  },
  {
    found: 'One of two nodes lagged: prices of now beside volumes that ended 48 s ago, without a word.',
    plan: {
      ...WEEK,
      seed: 3004,
      nodes: 2,
      every: 1,
      serves: 20,
      events: [{ at: 0, for: 400, node: 0, weather: { kind: 'lag', seconds: 40 } }]
    }
  },
  {
    found: 'The same, where the other one lags, and the first is away for a while.',
    plan: {
      ...WEEK,
      seed: 3005,
      nodes: 2,
      every: 1,
      events: [
        { at: 0, for: 400, node: 1, weather: { kind: 'lag', seconds: 40 } },
        { at: 60, for: 90, node: 0, weather: { kind: 'down' } }
      ]
    }
  },
  {
    found: 'The chain halted, a node alone came to stand, and a method of it lagged: what was old passed for fresh.',
    plan: {
      seed: 1993,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'small',
      daos: 2,
      past: { days: 4, swaps: 209 },
      weather: 1500,
      every: 57,
      events: [
        { at: 386, for: 52, node: 0, weather: { kind: 'freeze' } }, { at: 411, for: 83, chain: 'halt' },
        {
          at: 438,
          for: 145,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getSignaturesForAddress', value: 12 } }
        },
        { at: 628, for: 75, node: 0, weather: { kind: 'finality' } }, { at: 692, for: 68, chain: 'halt' },
        { at: 698, for: 236, node: 0, weather: { kind: 'freeze' } }, { at: 703, for: 300, chain: 'halt' },
        {
          at: 802,
          for: 221,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 40 } }
        },
        { at: 941, for: 81, node: 0, weather: { kind: 'down' } }, { at: 1161, clock: -3_600_000 },
        {
          at: 1254,
          for: 128,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'jump-back', method: 'getProgramAccounts', value: 40 } }
        }
      ]
    }
  },
  {
    found: 'A node alone named every slot 1,000 too low, and once it had come that far again it was believed.',
    plan: {
      ...WEEK,
      seed: 2172,
      weather: 760,
      events: [
        { at: 60, for: 640, node: 0, weather: { kind: 'fault', rule: { kind: 'wrong-slot', value: 1000 } } },
        { at: 400, process: 'restart' }
      ]
    }
  },
  {
    found: 'The chain\'s clock was thirty minutes behind UTC, as mainnet\'s on 2022-05-26, fell further behind, ' +
      'and jumped back.',
    plan: {
      ...WEEK,
      seed: 3006,
      nodes: 2,
      past: { days: 1, swaps: 60, drift: 1800 },
      weather: 900,
      serves: 30,
      events: [{ at: 100, for: 600, chain: 'drift', seconds: 13 }]
    }
  },
  {
    found: 'The same with one node, whose word counts after ten minutes.',
    plan: {
      ...WEEK,
      seed: 3007,
      past: { days: 1, swaps: 60, drift: 1800 },
      weather: 1200,
      serves: 680,
      events: [{ at: 900, chain: 'correct' }]
    }
  },
  {
    found: 'Our clock was an hour ahead from the start, stepped back by two, and fell behind by one per cent.',
    plan: {
      ...WEEK,
      seed: 3008,
      weather: 600,
      serves: 20,
      events: [
        { at: 0, clock: 3_600_000 }, { at: 120, clock: -7_200_000 }, { at: 240, clock: 3_600_000 },
        { at: 241, for: 300, clockRate: -0.01 }
      ]
    }
  },
  {
    found: 'Nodes without `Date`, with one of an hour ago, of the future, and of a cache.',
    plan: {
      ...WEEK,
      seed: 3009,
      nodes: 2,
      weather: 700,
      serves: 20,
      events: [
        { at: 0, for: 100, node: 0, weather: { kind: 'date', date: 'missing' } },
        { at: 0, for: 300, node: 1, weather: { kind: 'date', date: { off: 7200 } } },
        { at: 110, for: 190, node: 0, weather: { kind: 'date', date: { off: 7200 } } },
        { at: 310, for: 140, node: 0, weather: { kind: 'date', date: { off: -3600 } } },
        { at: 310, for: 340, node: 1, weather: { kind: 'date', date: 'garbage' } },
        { at: 460, for: 190, node: 0, weather: { kind: 'date', date: 'cached' } }
      ]
    }
  },
  {
    found: 'The Clock account refused, short, of another owner, not there and from the future: the next node is asked.',
    plan: {
      ...WEEK,
      seed: 3010,
      nodes: 2,
      serves: 20,
      events: (['clock-refused', 'clock-short', 'clock-owner', 'clock-missing', 'clock-ahead'] as const)
        .map((kind, at) => ({ at: 70 * at, for: 60, node: 0, weather: { kind: 'fault' as const, rule: { kind } } }))
    }
  },
  {
    found: 'The same of a node alone: what it says can\'t be dated.',
    plan: {
      ...WEEK,
      seed: 3011,
      weather: 700,
      events: (['clock-refused', 'clock-short', 'clock-owner', 'clock-missing', 'clock-ahead'] as const)
        .map(
          (kind, at) => ({ at: 20 + 130 * at, for: 90, node: 0, weather: { kind: 'fault' as const, rule: { kind } } })
        )
    }
  },
  {
    found: 'All nodes came to stand for twenty minutes, and went on with slots twice as fast: ' +
      'the last state was the state.',
    plan: {
      ...WEEK,
      seed: 3012,
      nodes: 2,
      weather: 1500,
      serves: 20,
      events: [{ at: 100, for: 1200, chain: 'handover', ms: 200 }]
    }
  },
  {
    found: 'The same as one node alone shows it: nothing newer is to be had, and it is back within fifteen seconds.',
    plan: { ...WEEK, seed: 3013, weather: 1500, events: [{ at: 100, for: 1200, chain: 'handover', ms: 200 }] }
  },
  {
    found: 'The preferred node was two days behind, and caught up at ten times the pace.',
    plan: {
      ...WEEK,
      seed: 3014,
      nodes: 2,
      serves: 30,
      events: [{ at: 0, for: 20_000, node: 0, weather: { kind: 'lag', seconds: 172_800, pace: 10 } }]
    }
  },
  {
    found: 'A node alone had stood for half an hour, and caught up at ten times the pace.',
    plan: {
      ...WEEK,
      seed: 3015,
      weather: 700,
      events: [{ at: 0, for: 600, node: 0, weather: { kind: 'lag', seconds: 3_600, pace: 10 } }]
    }
  },
  {
    found: 'On a full disk a block range was published that is older than the last: nothing was written, and ' +
      'the disk passed for having room.',
    plan: {
      seed: 8146,
      nodes: 3,
      leftOut: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 3, swaps: 63 },
      weather: 96,
      every: 49,
      events: [
        ...[1, 2].map(node => ({
          at: 0,
          for: 327,
          node,
          weather: {
            kind: 'fault' as const, rule: { kind: 'late-index', method: 'getSignaturesForAddress', value: 40 }
          }
        })),
        { at: 0, for: 716, node: 0, weather: { kind: 'lag', seconds: 172_800, pace: 1 } },
        { at: 63, for: 327, disk: { error: 'full', at: 'commits' } }
      ]
    }
  },
  {
    found: 'For defects put back: lists and the Clock beside them half a minute behind, ' +
      'and the lists name the slot of now.',
    plan: {
      ...WEEK,
      seed: 3016,
      weather: 120,
      events: [
        ...['getProgramAccounts', 'getAccountInfo'].map(method =>
          ({
            at: 30,
            for: 80,
            node: 0,
            weather: { kind: 'fault' as const, rule: { kind: 'jump-back', method, value: 35 } }
          })),
        {
          at: 30,
          for: 80,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'slot-jump-ahead', method: 'getProgramAccounts', value: 175 } }
        }
      ]
    }
  },
  {
    found: 'For defects put back: what a stranger may do, an upgrade, another network.',
    plan: {
      seed: 34,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 1, swaps: 60 },
      weather: 150,
      every: 8,
      events: [
        { at: 12, chain: 'hostile' }, { at: 14, chain: 'hostile' }, { at: 16, chain: 'hostile' },
        { at: 20, chain: 'forged' }, { at: 22, chain: 'forged' }, { at: 24, chain: 'forged' },
        { at: 26, chain: 'forged' }, { at: 28, chain: 'forged' }, { at: 30, chain: 'forged' },
        { at: 40, chain: 'upgrade' }, { at: 90, for: 30, process: 'network' }
      ]
    }
  },
  {
    found: 'The only node stops, and our clock steps back an hour: after ten minutes clock, ' +
      '`Date` and chain say three times, the clock was believed, and the state counted as of now.',
    plan: {
      seed: 180,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 2, swaps: 244 },
      weather: 1209,
      every: 38,
      events: [{ at: 495, for: 772, node: 0, weather: { kind: 'freeze' } }, { at: 542, clock: -3_600_000 }]
    }
  },
  {
    found: 'One method refused for 83 s while nothing else was asked: the rate of all calls was lowered for it, ' +
      'to less than one a second, and stayed there once it was known to be the method\'s own.',
    plan: {
      seed: 345,
      nodes: 1,
      finalityLag: 1,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 4, swaps: 53 },
      weather: 2029,
      every: 11,
      events: [
        { at: 83, for: 309, node: 0, weather: { kind: 'freeze' } }, { at: 131, burst: { clients: 2, requests: 62 } },
        { at: 1274, chain: 'born' }, { at: 1664, burst: { clients: 4, requests: 89 } },
        { at: 1705, for: 70, node: 0, weather: { kind: 'down' } },
        {
          at: 1825,
          for: 83,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'rate-limit', method: 'getSignaturesForAddress' } }
        }
      ]
    }
  },
  {
    found: 'For defects put back: single trades of five DAOs in no list, and looks just after a restart, ' +
      'before it is final what the accounts show.',
    plan: {
      seed: 310,
      nodes: 1,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 1, swaps: 40 },
      weather: 195,
      every: 45,
      events: [
        { at: 1, chain: 'slots', ms: 600 },
        { at: 20, for: 400, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 2 } } },
        // each life is longer than finality: what it learns of the accounts is kept
        ...[100, 140, 180].map(at => ({ at, process: 'restart' as const }))
      ]
    }
  },
  {
    found: 'The treasury of a DAO after 10.9 s: two seconds for a list that was there, then ten for the accounts.',
    plan: {
      seed: 9,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'public',
      daos: 2,
      past: { days: 2, swaps: 84 },
      every: 18,
      events: [
        { at: 128, for: 88, chain: 'halt' },
        {
          at: 397,
          for: 59,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'reset', method: 'getSignaturesForAddress' } }
        },
        { at: 417, chain: 'forged' },
        { at: 422, for: 580, node: 0, weather: { kind: 'older' } },
        { at: 428, for: 877, node: 0, weather: { kind: 'latency', ms: 2146 } },
        { at: 614, for: 87, node: 0, weather: { kind: 'older' } },
        { at: 701, chain: 'fees' },
        { at: 730, chain: 'born' },
        { at: 842, chain: 'forged' },
        { at: 925, chain: 'slots', ms: 150 },
        { at: 1146, for: 80, node: 0, weather: { kind: 'freeze' } }
      ],
      weather: 1772
    }
  },
  {
    found: 'For defects put back: every kind of forged event.',
    plan: {
      seed: 5052,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 30 },
      weather: 80,
      every: 8,
      events: Array.from({ length: 30 }, (_, at) => ({ at: 10 + at, chain: 'forged' as const }))
    }
  },
  {
    found: 'A first start: the nodes named first were restarted from snapshots and lack hours, the last has all; ' +
      'no ticker for as long.',
    plan: {
      seed: 962,
      nodes: 3,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 3,
      past: { days: 2, swaps: 200 },
      every: 10,
      serves: 90,
      events: [
        { at: 0, for: 300, node: 0, weather: { kind: 'hole', hours: [14, 4] } },
        { at: 0, for: 300, node: 1, weather: { kind: 'hole', hours: [8, 2] } },
        { at: 100, process: 'restart' }
      ],
      weather: 240
    }
  },
  {
    found: 'The same, with one in between that hangs: the search for what is missing waited for it, ' +
      'or for a slot that is none.',
    plan: {
      seed: 963,
      nodes: 3,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 3,
      past: { days: 2, swaps: 200 },
      every: 10,
      serves: 120,
      events: [
        { at: 0, for: 300, node: 0, weather: { kind: 'hole', hours: [14, 4] } },
        { at: 0, for: 300, node: 1, weather: { kind: 'fault', rule: { kind: 'hang' } } }
      ],
      weather: 240
    }
  },
  {
    found: 'A node refused everything for minutes while little was asked: its rate was learned from that little.',
    plan: {
      seed: 10_434,
      nodes: 1,
      halves: ['all'],
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 5,
      past: { days: 1, swaps: 108 },
      weather: 2_324,
      every: 5,
      events: [
        { at: 1_883, for: 263, disk: { error: 'full', at: 'rows' } },
        { at: 1_944, for: 165, node: 0, weather: { kind: 'limits', node: 'documented' } },
        { at: 2_110, for: 177, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit' } } }
      ]
    }
  },
  {
    found: 'For defects put back: everything refused for 75 s, trades meanwhile, ' +
      'and 20 s after it every figure is served.',
    plan: {
      ...BUSY,
      seed: 20,
      weather: 170,
      serves: 115,
      events: [
        { at: 20, for: 75, node: 0, weather: { kind: 'fault', rule: { kind: 'rate-limit' } } }, ...bursts(80)
      ]
    }
  },
  {
    found: 'Two methods refused for seconds, one after the other; the rate of all fell to one call a second, ' +
      'and was not enough for what is traded until it grew.',
    plan: {
      ...BUSY,
      seed: 22,
      weather: 230,
      serves: 110,
      events: [
        refusedFor(30, 2, 'getAccountInfo'), refusedFor(31, 6, 'getSignaturesForAddress'), ...bursts(40)
      ]
    }
  },
  {
    found: 'Ten transactions in ten seconds, and no word of it but refusals: once more was asked of other methods, ' +
      'none of them lowered its rate, and each cost ten seconds of silence. A first day took half as long again.',
    plan: {
      seed: 21,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 120 },
      weather: 190,
      every: 30,
      serves: 145,
      events: [{ at: 0, for: 300, node: 0, weather: { kind: 'limits', node: 'public', unsaid: true } }]
    }
  },
  ...KEPT_CLUSTER
]
