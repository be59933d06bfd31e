/** Worlds of the cluster and the program as they are in November 2026. */
import type { Plan, WorldEvent } from './plan.js'

/** A method that a node answers with an error for a minute. */
const refused = (at: number, node: number, method: string, value: number): WorldEvent =>
  ({ at, for: 60, node, weather: { kind: 'fault', rule: { kind: 'rpc-error', method, value } } })

export const KEPT_CLUSTER: Array<{ found: string, plan: Plan }> = [
  {
    found: 'Transactions that were never executed, and a bulk method that gives a hundred at most: no gap, no fault, ' +
      'no trade.',
    plan: {
      seed: 5046,
      nodes: 2,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 1, swaps: 350 },
      weather: 200,
      every: 2,
      serves: 20,
      events: [{ at: 40, chain: 'burst' }, { at: 90, for: 40, node: 0, weather: { kind: 'down' } }]
    }
  },
  {
    found: 'Events of unknown kinds before and after a release in which events have grown: judged by the account, ' +
      'no DAO stays out.',
    plan: {
      seed: 5003,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 2, swaps: 60 },
      weather: 200,
      every: 8,
      events: [
        { at: 30, chain: 'unknown' }, { at: 50, chain: 'upgrade' }, { at: 60, chain: 'unknown' },
        { at: 80, chain: 'launch' },
        { at: 100, chain: 'unknown' }, { at: 120, chain: 'finalize' }, { at: 199, chain: 'unknown' }
      ]
    }
  },
  {
    found: 'Nodes of half the methods, the accounts named first, a whole one last: scans are aborted, ' +
      'the long-term store is not reached, bodies end in the middle, and every figure is served.',
    plan: {
      seed: 5047,
      nodes: 3,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      halves: ['accounts', 'history', 'all'],
      daos: 3,
      past: { days: 1, swaps: 200 },
      weather: 400,
      every: 4,
      serves: 20,
      events: [
        refused(30, 0, 'getProgramAccounts', -32012), refused(110, 1, 'getTransaction', -32019),
        refused(110, 1, 'getSignaturesForAddress', -32019),
        { at: 190, for: 60, node: 0, weather: { kind: 'fault', rule: { kind: 'truncated' } } },
        { at: 270, for: 60, node: 1, weather: { kind: 'fault', rule: { kind: 'truncated' } } },
        { at: 340, process: 'restart' }
      ]
    }
  },
  {
    found: 'Two nodes of half the methods, the accounts named first: what one does not know is no illness of it.',
    plan: {
      seed: 5048,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      halves: ['accounts', 'history'],
      daos: 3,
      past: { days: 1, swaps: 200 },
      weather: 200,
      every: 4,
      serves: 20,
      events: [{ at: 60, chain: 'burst' }, { at: 100, process: 'restart' }]
    }
  },
  {
    found: 'The same, the history named first, with a WebSocket that leaves out every second notification.',
    plan: {
      seed: 5049,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      halves: ['history', 'accounts'],
      leftOut: 2,
      daos: 3,
      past: { days: 1, swaps: 200 },
      weather: 500,
      every: 40,
      serves: 20,
      events: [{ at: 250, process: 'restart' }]
    }
  },
  {
    found: 'For defects put back: two nodes of half the methods, each of ten calls a second, ' +
      'and a past that takes minutes: the accounts are read beside it.',
    plan: {
      seed: 5053,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'small',
      halves: ['accounts', 'history'],
      daos: 3,
      past: { days: 4, swaps: 900 },
      weather: 110,
      every: 10,
      lists: 10,
      events: []
    }
  },
  {
    found: 'Our clock was ten minutes behind, and the only `Date` that spoke against it went wrong by an hour: ' +
      'UTC fell behind the chain\'s own time, and an old list was fresh.',
    plan: {
      seed: 6013,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 3, swaps: 61 },
      weather: 629,
      every: 25,
      events: [
        { at: 0, for: 454, chain: 'handover', ms: 200 }, { at: 0, clock: -600_000 },
        { at: 242, for: 62, node: 0, weather: { kind: 'latency', ms: 1499 } },
        {
          at: 374,
          for: 551,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'batch-missing', method: 'getProgramAccounts' } }
        },
        { at: 603, for: 409, node: 0, weather: { kind: 'date', date: { off: -3600 } } }
      ]
    }
  },
  {
    found: 'More of the past than a page of the bulk method, which gives a hundred at most.',
    plan: {
      seed: 5050,
      nodes: 1,
      finalityLag: 32,
      bulk: true,
      kind: 'own',
      daos: 2,
      past: { days: 4, swaps: 1800 },
      weather: 120,
      every: 8,
      serves: 60,
      events: []
    }
  },
  {
    found: 'While the process was down its nodes forgot where it had been. One of them lists no signatures at all: ' +
      'that was taken for a sign that it might know, so that nothing was ever given up, and no volume served.',
    plan: {
      seed: 8127,
      nodes: 2,
      finalityLag: 32,
      bulk: false,
      kind: 'own',
      halves: ['accounts', 'history'],
      daos: 2,
      past: { days: 3, swaps: 188 },
      weather: 681,
      every: 24,
      events: [{ at: 20, for: 1194, process: 'outage', forget: 919 }]
    }
  },
  {
    found: 'A node left the newest trade of each DAO out of its lists, and as none could be listed any more the last ' +
      'list was served: its age was counted from a head that lacked the trade, ' +
      'not from when the accounts last confirmed it.',
    plan: {
      seed: 310,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 2, swaps: 204 },
      weather: 332,
      every: 10,
      events: [
        { at: 66, for: 230, node: 0, weather: { kind: 'fault', rule: { kind: 'skipped-signatures', value: 2 } } }
      ]
    }
  },
  {
    found: 'At a first start the node listed the oldest transactions of the day and gave them broken: ' +
      'a DAO whose first stored event came after one of them had no number that showed it to be missing, ' +
      'and counted too little.',
    plan: {
      seed: 9250,
      nodes: 1,
      finalityLag: 1,
      bulk: false,
      kind: 'public',
      daos: 3,
      past: { days: 3, swaps: 368 },
      weather: 829,
      every: 10,
      events: [
        { at: 0, for: 488, node: 0, weather: { kind: 'fault', rule: { kind: 'clock-ahead', value: 3600 } } },
        { at: 168, chain: 'hostile' }, { at: 400, chain: 'liquidity' },
        { at: 531, for: 38, node: 0, weather: { kind: 'latency', ms: 1551 } },
        { at: 670, for: 111, process: 'network' }, { at: 699, chain: 'hostile' },
        {
          at: 801,
          for: 97,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'missing-field', method: 'getTransaction' } }
        }
      ]
    }
  },
  {
    found: 'While the process was down its nodes began from a snapshot again, and nobody traded since: ' +
      'they list no signature at all. The head waited for the next trade, and no volume was served.',
    plan: {
      seed: 9241,
      nodes: 3,
      halves: ['accounts', 'history', 'all'],
      finalityLag: 32,
      bulk: false,
      kind: 'plan',
      daos: 4,
      past: { days: 2, swaps: 269 },
      weather: 1348,
      every: 20,
      events: [
        { at: 454, clock: 3_600_000 }, { at: 847, for: 1514, process: 'outage', forget: 1115 },
        { at: 963, for: 588, node: 0, weather: { kind: 'fault', rule: { kind: 'clock-ahead', value: 600 } } }
      ]
    }
  },
  {
    found: 'At a first start the only node listed no account. What was made of that was served for a minute after ' +
      'the events had shown that it was false.',
    plan: {
      seed: 10_005,
      nodes: 1,
      leftOut: 2,
      finalityLag: 1,
      bulk: false,
      kind: 'own',
      daos: 2,
      past: { days: 4, swaps: 245 },
      weather: 160,
      every: 13,
      events: [
        { at: 0, for: 160, node: 0, weather: { kind: 'fault', rule: { kind: 'short-accounts' } } },
        {
          at: 0,
          for: 98,
          node: 0,
          weather: { kind: 'fault', rule: { kind: 'wrong-order', method: 'getSignaturesForAddress' } }
        }
      ]
    }
  }
]
