import { test } from 'tap'
import { namesOf } from '../../../../lib/responses/forms/token-texts.js'

const mint = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'

test('a name or symbol that nobody sees is none: a reader halts at an empty one', t => {
  for (const blank of [
    '', ' ', '\t\n', '\u00a0', '\u200b', '\u200b \u2060', '\u202e', '\ufeff', '\u00ad', '\u3164', '\u2800', '\ufe0f',
    '\u{e0020}'
  ]) {
    const where = JSON.stringify(blank)
    t.same(namesOf({ mint, symbol: blank, name: blank }), { name: mint, symbol: 'METAwkXc' }, where)
    t.equal(namesOf({ mint, symbol: 'META', name: blank }).name, 'META', where)
  }
  for (const text of ['META', '-', '\u200bM', '元', '🦊', '́́a']) {
    t.equal(namesOf({ mint, symbol: text, name: '' }).symbol, text)
    t.equal(namesOf({ mint, symbol: '', name: text }).name, text)
  }
  t.end()
})
