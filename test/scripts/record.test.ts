import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { recordNode } from '../../scripts/recording.js'
import { startChain } from '../helper.js'
import { runScript, type ScriptProcess, startScript } from '../support/script-process.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'

function run (t: Test, script: string, ...args: string[]): ScriptProcess['child'] {
  const { child } = startScript(`scripts/${script}`, { args })
  t.teardown(() => child.kill())
  return child
}

async function smallChain (t: Test) {
  const { ledger, node } = await startChain(t, { time: Math.floor(Date.now() / 1000) - 60 })
  const dao = ledger.dao(
    { base: ledger.mint({ symbol: 'AAA' }), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  ledger.advance(60)
  dao.swap('buy', 1_000_000_000n)
  return { ledger, node, dao }
}

test('npm run record stores a node, npm run replay serves it', async t => {
  const { ledger, node, dao } = await smallChain(t)
  const out = t.testdir()
  const record = run(t, 'record.ts', '--url', node.url, '--factory', ledger.program, '--out', out)
  t.same(await once(record, 'exit'), [0, null])
  const text = readFileSync(join(out, 'recording.json'), 'utf8')
  t.equal(text, await recordNode({ url: node.url, program: ledger.program }), 'recorded again it is the same')
  t.notMatch(text, node.url)

  const replay = run(t, 'replay.ts', out, '--port', '0')
  const [said] = await once(replay.stdout, 'data') as [Buffer]
  const url = /CHAIN_RPC_URL=(\S+)/.exec(String(said))![1]!
  const ask = async (body: unknown) => await (await fetch(
    url, { method: 'POST', body: JSON.stringify(body) }
  )).json() as unknown
  t.match(await ask(
    { jsonrpc: '2.0', id: 1, method: 'getMultipleAccounts', params: [[dao.address, dao.base.address], {}] }
  ),
  { id: 1, result: { value: [{ owner: ledger.program }, {}] } })
  const [slot, ...others] = await ask([
    { jsonrpc: '2.0', id: 'a', method: 'getSlot' }, { jsonrpc: '2.0', id: 'b', method: 'getBlockHeight' },
    { jsonrpc: '2.0', id: 'c', method: 'getBlock', params: [1] }
  ]) as any[]
  t.ok(slot.result >= ledger.slot && slot.result < ledger.slot + 300, 'slots go on')
  t.match(others, [
    { id: 'b', error: { message: 'not in the recording: method getBlockHeight' } }, { id: 'c', error: { code: -32601 } }
  ])
})

test('a node that repeats its own key is not recorded, nor one that has too much', async t => {
  const { ledger, node } = await smallChain(t)
  await t.rejects(
    recordNode({ url: `${node.url}/${ledger.program}`, program: ledger.program }), /repeat its own host or key/
  )
  const { code, stderr } = await runScript('scripts/record.ts', [
    '--url', node.url, '--out', join(t.testdir(), 'none'), '--factory', ledger.program, '--most', '1'
  ])
  t.same([code, stderr], [2, 'more than 1 transactions\n'])
})

test('without what they need they say how they are called', async t => {
  for (const [script, words] of [
    ['record.ts', /^usage: npm run record /], ['replay.ts', /^npm run replay -- NAME .*recordings: simulated/]
  ] as const) {
    const child = run(t, script)
    const [[said], [status]] = await Promise.all(
      [once(child.stderr!, 'data'), once(child, 'exit')]
    ) as [[Buffer], [number]]
    t.match(String(said), words)
    t.equal(status, 2)
  }
})

test('record: where no node answers it says so, and ended early it leaves nothing behind', async t => {
  // one that says its network, and nothing else
  const silent = createServer((request, response) => {
    text(request).then(body => {
      const { id, method } = JSON.parse(body) as { id: number, method: string }
      if (method === 'getGenesisHash') response.end(JSON.stringify({ jsonrpc: '2.0', id, result: 'H'.repeat(44) }))
    }).catch(() => response.destroy())   // a batch is never answered either
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => {
    silent.close()
    silent.closeAllConnections()
  })
  const folder = t.testdir({ tmp: {} })
  const out = join(folder, 'out')
  const args = (url: string): string[] => ['--url', url, '--out', out, '--factory', PROGRAM]
  t.match(await runScript('scripts/record.ts', args('http://127.0.0.1:1')), {
    code: 1, stderr: /^node 127\.0\.0\.1:1 was not reached \(ECONNREFUSED\)\n$/
  })
  const { child, ended, stderr } = startScript('scripts/record.ts', {
    args: args(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`), env: { TMPDIR: join(folder, 'tmp') }
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  await setTimeout(5)
  child.kill('SIGINT')   // as npm passes on what the terminal has sent to both
  t.match(await ended, { code: 1 })
  t.equal(stderr(), '\nInterrupted: nothing is written.\n')
  t.same(readdirSync(folder, { recursive: true }), ['tmp'])
})
