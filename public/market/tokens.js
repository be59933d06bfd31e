import { cutText, formatAgo, MAX_NAME, symbolOf } from './format.js'
import { element, foreign } from './dom.js'

/** How tokens and pools are named and shown. */

/** The full name of a token. */
export const fullNameOf = token => cutText(token.name, MAX_NAME)
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

const shared = kind => [`Shared ${kind}`, `Another token here has the same ${kind}: the mint tells them apart`]
/** What a name may pretend, in words, and why that is said. */
const MARKS = {
  symbol: () => shared('symbol'),
  name: () => shared('name'),
  dollar: ({ quote }) =>
    [`Not ${symbolOf(quote)}`, 'The quote token calls itself a dollar and is none that this service knows']
}
export const UNPRICED = 'Nothing on the chain prices the quote token in dollars'

const badge = (kind, text, why) => element('span', { class: `badge ${kind}`, title: why }, text,
  element('span', { class: 'unseen' }, `: ${why}`))

/** What a live proposal means for who holds the token. */
const PROPOSAL =
  'A proposal is being decided: part of the pool’s reserves trades in its conditional markets until then, so less ' +
    'liquidity stands behind the spot price.'

export const hasProposal = pool => pool.state === 'proposal'

/** What is to be known of a pool beside its figures; `marks`: what its names may pretend. */
export const badgesOf = (pool, marks) => [
  ...hasProposal(pool) ? [badge('', 'Proposal', PROPOSAL)] : [],
  ...marks.flatMap(mark => MARKS[mark] === undefined ? [] : [badge('warning', ...MARKS[mark](pool))]),
  ...pool.priced_in_usd ? [] : [element('span', { class: 'badge muted', title: UNPRICED }, 'No USD price')]
]

/** How long ago a moment was, or a day; undefined while that is not known. */
export function ageOf (since) {
  const time = Date.parse(since ?? '')
  return Number.isNaN(time) ? undefined : formatAgo(Date.now() - time)
}

export const pairTitle = pool => [foreign(nameOf(pool)), ' / ', foreign(quoteOf(pool))]
