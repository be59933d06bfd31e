import { abbreviate, formatAgo } from './format.js'
import { element, foreign } from './dom.js'

/** How tokens and pools are named and shown. */

const MAX_SYMBOL = 32
const MAX_NAME = 64
/** Code units that a character may have on average: heaps of combining marks have more. */
const UNITS = 4
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A text cut to so many characters: a record has it as its creator wrote it. */
function cut (text, most) {
  if (text.length <= most) return text
  let [end, count] = [0, 0]
  for (const { segment, index } of segmenter.segment(text)) {
    if (count++ === most || index + segment.length > most * UNITS) return `${text.slice(0, end)}…`
    end = index + segment.length
  }
  return text
}

/** The symbol of a token, or its address in short where nobody gave it one. */
export const symbolOf = token => cut(token.symbol.trim(), MAX_SYMBOL) || abbreviate(token.mint)
/** The full name of a token. */
export const fullNameOf = token => cut(token.name.trim(), MAX_NAME)
export const nameOf = pool => symbolOf(pool.base)
export const quoteOf = pool => symbolOf(pool.quote)

/** Hues of the discs: an address always has the same. */
const HUES = 24

/** A disc with the token's first letter: what tells tokens apart at a glance where there are no pictures. */
export function tokenDisc (token) {
  const [letter = '?'] = symbolOf(token).replace(/[^\p{L}\p{N}]/gu, '')
  const hue = [...token.mint].reduce((total, character) => (total * 31 + character.charCodeAt(0)) % 9973, 7) % HUES
  const disc = element('span', { class: 'disc', 'aria-hidden': 'true' }, letter.toUpperCase())
  disc.style.setProperty('--hue', String(hue * 360 / HUES))
  return disc
}

/** Of tokens that people take for a dollar. */
const DOLLAR = /usd|^dai$/
/** Cyrillic and Greek letters, each with the Latin one that it is taken for. */
const ALIKE = new Map(
  'аa вb сc еe нh іi јj кk мm оo рp ѕs тt уy хx αa βb εe ηh ιi κk μm νn οo ρp τt υy χx ζz'.split(' ').map(pair => [...pair])
)
/** A text as people tell it from others: letters that look alike are the same, and nothing is unseen. */
const plain = text => text.normalize('NFKC').replace(/[\p{C}\p{Z}]/gu, '').toLowerCase()
  .replace(/./gu, letter => ALIKE.get(letter) ?? letter)

/**
 * What a name may pretend, in words, for each of `pools`: a function that gives the marks of one, each a text and why.
 */
export function pretences (pools) {
  const mints = new Map()
  for (const { mint, ...texts } of pools.flatMap(({ base, quote }) => [base, quote])) {
    for (const kind of ['symbol', 'name']) {
      const key = `${kind} ${plain(texts[kind])}`
      mints.set(key, (mints.get(key) ?? new Set()).add(mint))
    }
  }
  return ({ base, quote, priced_in_usd: isPriced }) => [
    ...['symbol', 'name'].filter(kind => plain(base[kind]) !== '' && mints.get(`${kind} ${plain(base[kind])}`).size > 1)
      .map(kind => [`Shared ${kind}`, `Another token here has the same ${kind}: the mint tells them apart`]),
    ...!isPriced && DOLLAR.test(plain(quote.symbol))
      ? [[`Not ${symbolOf(quote)}`, 'The quote token calls itself a dollar and is none that this service knows']]
      : []
  ]
}

/** How long ago a pool was made; undefined while that is not known. */
export function poolAge ({ created_at: at, startDate: day }) {
  const time = Date.parse(at ?? day ?? '')
  return Number.isNaN(time) ? undefined : formatAgo(Date.now() - time)
}

export const warningBadge = ([text, why]) => element(
  'span', { class: 'badge warning', title: why }, text, element('span', { class: 'unseen' }, `: ${why}`)
)

export const hasProposal = pool => pool.state === 'proposal'

/** What a live proposal means for who holds the token. */
export const PROPOSAL =
  'A proposal is being decided: part of the pool’s reserves trades in its conditional markets until then, so less ' +
    'liquidity stands behind the spot price.'

export const proposalBadge = () => element(
  'span', { class: 'badge', title: PROPOSAL }, 'Proposal', element('span', { class: 'unseen' }, `: ${PROPOSAL}`)
)
export const pairTitle = pool => [foreign(nameOf(pool)), ' / ', foreign(quoteOf(pool))]
