import { element, svg } from './dom.js'

/** Links to an explorer of the chain, which shows the same from elsewhere. */

const EXPLORER = 'https://solscan.io/'
const KINDS = { token: 'token', account: 'account', transaction: 'tx' }

const arrow = () => svg(
  'svg',
  { viewBox: '0 0 16 16', 'aria-hidden': 'true', class: 'out' },
  svg('path', { d: 'M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.5 3.5l-6 6' })
)

/** A link that opens `id` beside this page; `what` says to screen readers what it is, where no text of its own does. */
export const explorerLink = (kind, id, what, ...children) => element('a', {
  class: 'explorer',
  href: `${EXPLORER}${KINDS[kind]}/${encodeURIComponent(id)}`,
  target: '_blank',
  rel: 'noopener noreferrer',
  'aria-label': children.length > 0 ? undefined : `Open the ${what} in an explorer: ${id}`
}, ...children, arrow())
