import { test } from 'tap'
import { listedText } from '../../../lib/live/tokens.js'
import { cutText, MAX_NAME, MAX_SYMBOL } from '../../../public/market/format.js'

test('texts are counted as people see them; a longer one counts as none in a list and is cut on a page', async t => {
  for (const letter of ['a', 'é', 'e\u0301', '🇨🇭', '👍🏽', 'க்']) {
    t.equal(listedText(letter.repeat(MAX_SYMBOL), MAX_SYMBOL), letter.repeat(MAX_SYMBOL), letter)
    t.equal(listedText(letter.repeat(MAX_SYMBOL + 1), MAX_SYMBOL), '', letter)
    t.equal(cutText(letter.repeat(MAX_SYMBOL + 1), MAX_SYMBOL), `${letter.repeat(MAX_SYMBOL)}…`)
  }
  t.equal(listedText('x'.repeat(MAX_NAME), MAX_NAME), 'x'.repeat(MAX_NAME))
  t.equal(cutText('META', MAX_SYMBOL), 'META')
})

test('heaps of marks on one letter are no way around it', async t => {
  const heap = `a${'\u0301'.repeat(4_000)}`
  t.equal(listedText(heap, MAX_SYMBOL), '')
  t.equal(cutText(heap, MAX_SYMBOL), '…')
  t.equal(cutText(`ab${heap}`, MAX_SYMBOL), 'ab…')
})

test('a page has nothing unseen of a text, nor what turns the direction of the figures beside it', async t => {
  for (const unseen of ['\u202e', '\u2066', '\u200f', '\u200b', '\ufeff', '\u3164', '\u2800', '\n', '\ufe0f']) {
    t.equal(cutText(`OR${unseen}E`, MAX_SYMBOL), 'ORE', JSON.stringify(unseen))
    t.equal(cutText(` ${unseen} `, MAX_SYMBOL), '')
  }
})
