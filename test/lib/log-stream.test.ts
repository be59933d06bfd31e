import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { createLogStream } from '../../lib/log-stream.js'

const line = (level: number, msg: string): string => `${JSON.stringify({ level, msg })}\n`

function setUp (t: Test) {
  const path = join(t.testdir(), 'log')
  const fd = openSync(path, 'w')
  t.teardown(() => closeSync(fd))
  return {
    stream: createLogStream({ fd, terminal: false, redact: text => text.replaceAll('secret', '[hidden]') }),
    text: () => readFileSync(path, 'utf8')
  }
}

test('lines of a turn are written together, in order, and without secrets', async t => {
  const { stream, text } = setUp(t)
  stream.write(line(30, 'first'))
  stream.write(line(30, 'with a secret'))
  t.equal(text(), '', 'not yet')
  await turn()
  t.equal(text(), line(30, 'first') + line(30, 'with a [hidden]'))
})

test('a warning is written at once, after what waits', t => {
  const { stream, text } = setUp(t)
  stream.write(line(30, 'first'))
  stream.write(line(50, 'gone wrong'))
  t.equal(text(), line(30, 'first') + line(50, 'gone wrong'))
  stream.write('no JSON at all\n')
  t.match(text(), /no JSON at all\n$/)
  t.end()
})

test('what a loop that is held would pile up is written in between', t => {
  const { stream, text } = setUp(t)
  for (let i = 0; i < 1_000; i++) stream.write(line(30, String(i)))
  t.equal(text().split('\n').length, 1_001)
  t.end()
})
