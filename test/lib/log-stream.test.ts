import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'tap'
import { createLogStream } from '../../lib/log-stream.js'

const line = (level: number, msg: string): string => `${JSON.stringify({ level, msg })}\n`

/** An output that takes what it is given at once, with the failure of `state`, or keeps it waiting. */
function setUp () {
  const state = { text: '', isStuck: false, error: undefined as Error | undefined }
  let go = () => {}
  const out = new Writable({
    // no failure closes the standard output: Node's is made so
    destroy (error, done) {
      done(error)
      const self = this as Writable & { _undestroy (): void }
      self._undestroy()
    },
    write (chunk: Buffer, _encoding, done) {
      if (state.error === undefined) state.text += chunk.toString()
      if (state.isStuck) go = done
      else done(state.error)
    }
  })
  return {
    stream: createLogStream({ out, terminal: false, redact: text => text.replaceAll('secret', '[hidden]') }),
    text: () => state.text,
    state,
    out,
    go () { state.isStuck = false; go() }
  }
}

test('lines of a turn are written together, in order, and without secrets', async t => {
  const { stream, text } = setUp()
  stream.write(line(30, 'first'))
  stream.write(line(30, 'with a secret'))
  t.equal(text(), '', 'not yet')
  await turn()
  t.equal(text(), line(30, 'first') + line(30, 'with a [hidden]'))
})

test('a warning is written at once, after what waits', t => {
  const { stream, text } = setUp()
  stream.write(line(30, 'first'))
  stream.write(line(50, 'gone wrong'))
  t.equal(text(), line(30, 'first') + line(50, 'gone wrong'))
  stream.write('no JSON at all\n')
  t.match(text(), /no JSON at all\n$/)
  t.end()
})

test('what a loop that is held would pile up is written in between', t => {
  const { stream, text } = setUp()
  for (let i = 0; i < 1_000; i++) stream.write(line(30, String(i)))
  t.equal(text().split('\n').length, 1_001)
  t.end()
})

test('where nobody takes the log, lines are lost beyond a bound, and the next that is taken says how many', async t => {
  const { stream, text, state, out, go } = setUp()
  const long = line(40, 'x'.repeat(100_000))
  state.isStuck = true
  for (let at = 0; at < 100; at++) stream.write(long)
  t.ok(out.writableLength < 2 ** 21, `${out.writableLength} bytes wait`)
  go()
  await turn()
  const taken = text().split('\n').length - 1
  t.ok(taken >= 10 && taken < 20, `${taken} of 100 lines`)
  stream.write(line(40, 'taken again'))
  const [loss, last] = text().split('\n').slice(taken)
  t.match(JSON.parse(loss!), { level: 40, time: Number, msg: `${100 - taken} log lines were lost: nobody took them` })
  t.match(last, /taken again/)
})

test('a disk that is full ends nothing, and is told once there is room', async t => {
  const { stream, text, state } = setUp()
  state.error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  for (const msg of ['first', 'second']) {
    stream.write(line(40, msg))
    await turn()
  }
  state.error = undefined
  stream.write(line(40, 'third'))
  t.match(text(), /"2 log lines were lost[^]*third/)
})
