import { test } from 'tap'
import { nameOf, symbolOf } from '../../../../lib/responses/forms/token-texts.js'

const mint = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'

test('a name or symbol that nobody sees is none: a reader halts at an empty one', t => {
  for (const blank of [
    '', ' ', '\t\n', '\u00a0', '\u200b', '\u200b \u2060', '\u202e', '\ufeff', '\u00ad', '\u3164', '\u2800', '\ufe0f',
    '\u{e0020}'
  ]) {
    const where = JSON.stringify(blank)
    t.equal(symbolOf({ mint, symbol: blank }), 'METAwkXc', where)
    t.equal(nameOf({ mint, symbol: blank, name: blank }), mint, where)
    t.equal(nameOf({ mint, symbol: 'META', name: blank }), 'META', where)
  }
  for (const text of ['META', '-', '\u200bM', '元', '🦊', '́́a']) {
    t.equal(symbolOf({ mint, symbol: text }), text)
    t.equal(nameOf({ mint, symbol: '', name: text }), text)
  }
  t.end()
})
