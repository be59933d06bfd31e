import { abbreviate } from './format.js'
import { element, foreign } from './dom.js'

/** How tokens and pools are named and shown. */

/** The symbol of a token, or its address in short where nobody gave it one. */
export const symbolOf = token => token.symbol.trim() || abbreviate(token.mint)
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

export const hasProposal = pool => pool.state === 'proposal'

/** What a live proposal means for who holds the token. */
export const PROPOSAL = 'A proposal is being decided: part of the pool’s reserves trades in its conditional markets until then, so less liquidity stands behind the spot price.'

export const proposalBadge = () => element('span', { class: 'badge', title: PROPOSAL }, 'Proposal', element('span', { class: 'unseen' }, `: ${PROPOSAL}`))
export const pairTitle = pool => [foreign(nameOf(pool)), ' / ', foreign(quoteOf(pool))]
