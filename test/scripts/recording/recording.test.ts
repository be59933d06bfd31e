import { test } from 'tap'
import { CLOCK } from '../../../simulator/clock-account.js'
import { clockOf, momentOf } from '../../../scripts/recording/clock.js'
import { createRecorder } from '../../../scripts/recording/recorder.js'
import { readRecording, nodeSecretsOf, writeRecording } from '../../../scripts/recording/recording.js'
import { createReplay } from '../../../scripts/recording/replay.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const row = (signature: string, slot: number) => ({ signature, slot, blockTime: slot * 10 })
const account = (data: string) => ({ owner: PROGRAM, data: [data, 'base64'] })
const at = (slot: number, value: unknown[]) => ({ context: { slot }, value })
const read = (addresses: string[]): [string, unknown[]] => ['getMultipleAccounts', [addresses, {}]]
const page = (bounds: object): [string, unknown[]] => ['getSignaturesForAddress', [PROGRAM, bounds]]
const FILTERS = [{ memcmp: { offset: 0, bytes: 'abc' } }]

function recorded () {
  const recorder = createRecorder({ program: PROGRAM, most: 10 })
  recorder.note(
    'getProgramAccounts',
    [PROGRAM, { filters: FILTERS }],
    at(7, [{ pubkey: 'D', account: account('AA==') }, { pubkey: 'C', account: account('AQ==') }])
  )
  recorder.note(...page({ limit: 2 }), [row('s5', 5), row('s4', 4)])
  recorder.note(...page({ before: 's4', limit: 2 }), [row('s3', 4), row('s2', 2)])
  recorder.note(...page({ until: 's5' }), [row('s7', 9), row('s6', 8)])
  recorder.note(...page({ before: 's3' }), [row('s2', 2), row('s1', 1)])
  recorder.note(...read(['A', 'B']), at(8, [account('AA=='), null]))
  recorder.note(...read(['A']), at(8, [account('Ag==')]))
  recorder.note('getTransaction', ['s1', {}], { slot: 1 })
  recorder.note('getTransaction', ['s2', {}], null)
  recorder.note('getSlot', [], 12)
  recorder.finishAccounts()
  recorder.note(...read(['A', 'E']), at(99, [account('Aw=='), null]))
  return recorder.recording()
}

test('pages of a growing past become one list, newest first; an account is as it was last read', t => {
  const recording = recorded()
  t.same(recording.signatures[PROGRAM]!.map(({ signature }) => signature), ['s7', 's6', 's5', 's4', 's3', 's2', 's1'])
  t.same(recording.accounts, { A: account('Ag=='), B: null, C: account('AQ=='), D: account('AA==') })
  t.match(recording, { slot: 9, time: 90, transactions: { s1: { slot: 1 } } })
  t.notOk('s2' in recording.transactions)
  t.end()
})

test('the Clock is kept as it was latest, and goes on with the replay', t => {
  const recorder = createRecorder({ program: PROGRAM, most: 10 })
  const clock = (slot: number, time: number) => ({ context: { slot }, value: clockOf(slot, time) })
  recorder.note(
    'getMultipleAccounts',
    [[CLOCK, 'A'], {}],
    { context: { slot: 1000 }, value: [clockOf(1000, 50_000), account('AA==')] }
  )
  recorder.note('getAccountInfo', [CLOCK, { commitment: 'finalized' }], clock(968, 49_993))
  recorder.note(...page({}), [row('s1', 1005)])
  const recording = recorder.recording()
  t.match(recording, { slot: 1005, time: 50_001 })
  t.same(momentOf(recording.accounts[CLOCK]), { slot: 1000, time: 50_000 })
  let now = 50_001_000
  const replay = createReplay(recording, () => now)
  const shown = (address: string) => (replay(
    'getMultipleAccounts', [['A', address], {}]
  ) as { value: unknown[] }).value[1]
  t.same(momentOf(shown(CLOCK)), { slot: 1005, time: 50_001 })
  now += 60_000
  t.same(momentOf(shown(CLOCK)), { slot: 1305, time: 50_061 })
  t.same(momentOf((replay('getAccountInfo', [CLOCK]) as { value: unknown }).value), { slot: 1305, time: 50_061 })
  t.same(
    momentOf((createReplay(recorded())('getAccountInfo', [CLOCK]) as { value: unknown }).value),
    { slot: 9, time: 90 },
    'one is made where none was recorded'
  )
  t.end()
})

test('a recording is text with a line for each thing, and reads as what it was', t => {
  const text = writeRecording(recorded())
  t.same(readRecording(text), recorded())
  t.ok(text.split('\n').includes('    "B": null,'))
  t.equal(text.split('\n').filter(line => line.includes('"signature"')).length, 7)
  t.throws(() => readRecording('{}'), /no recording/)
  t.throws(() => readRecording('{"format":1}'), /without programAccounts/)
  t.end()
})

test('the replay answers what was asked, in other pieces too, and names what it does not know', t => {
  const replay = createReplay(recorded())
  const signatures = (bounds: object) => (replay(...page(bounds)) as Array<{
    signature: string
  }>).map(({ signature }) => signature).join(' ')
  t.equal(signatures({}), 's7 s6 s5 s4 s3 s2 s1')
  t.equal(signatures({ before: 's5', until: 's2', limit: 5 }), 's4 s3')
  t.equal(signatures({ until: 's1', limit: 2 }), 's7 s6')
  t.equal(signatures({ before: 'unknown' }), '')
  t.same(replay(...read(['B', 'A'])), at(9, [null, account('Ag==')]))
  t.same(
    replay('getProgramAccounts', [PROGRAM, { filters: FILTERS, encoding: 'base64' }]),
    at(9, [{ pubkey: 'C', account: account('AQ==') }, { pubkey: 'D', account: account('AA==') }])
  )
  t.equal(replay('getSlot', []), 9)
  t.throws(() => replay(...read(['A', 'E'])), /not in the recording: account E/)
  t.throws(() => replay('getTransaction', ['s2']), /not in the recording: transaction s2/)
  t.throws(() => replay('getSignaturesForAddress', ['A', {}]), /signatures of A/)
  t.throws(() => replay('getProgramAccounts', [PROGRAM, { filters: [] }]), /accounts of program/)
  t.throws(() => replay('getBlockHeight', [1]), /method getBlockHeight/)
  t.throws(() => replay('getBlock', [1]), { code: -32601 })
  t.end()
})

test('more transactions than allowed are an error, not a history cut short', t => {
  const recorder = createRecorder({ program: PROGRAM, most: 1 })
  recorder.note('getTransaction', ['s1', {}], {})
  t.throws(() => recorder.note('getTransaction', ['s2', {}], {}), /more than 1 transactions/)
  t.end()
})

test('what of a node\'s URL is secret', t => {
  t.same(nodeSecretsOf('https://user:pass%20word@node.example.org/v2/0123456789abcdef?api-key=fedcba9876543210'),
    ['node.example.org', '0123456789abcdef', 'fedcba9876543210', 'pass word'])
  t.same(nodeSecretsOf('http://127.0.0.1:8899'), ['127.0.0.1'])
  t.end()
})
