/* global document, navigator, Node */

/**
 * Building the page. Text only ever enters through `textContent`: symbols and names are whatever somebody wrote into a
 * token's metadata.
 */

const SVG = 'http://www.w3.org/2000/svg'

function fill (node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) node.setAttribute(name, value)
  }
  node.append(...children.filter(child => child !== undefined && child !== null))
  return node
}

/**
 * An HTML element.
 * @param {string} tag
 * @param {Record<string, string | number | undefined | null>} [attributes]
 * @param {...(Node | string | undefined | null)} children Strings become text.
 */
export const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children)

/** An SVG element. */
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children)

export const byId = id => document.getElementById(id)

/**
 * Makes a text all that a node holds, only where it is not, so that nothing is laid out or read out again for nothing.
 */
export function setText (node, text) {
  if (node.textContent !== text || node.firstElementChild !== null) node.textContent = text
}

/** Makes `old` what `made` is, in the nodes that it has where they are of the same kind. */
function become (old, made) {
  for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  renew(old, ...made.childNodes)
}

/**
 * Makes a node hold `children`, as `replaceChildren` does, in the nodes that it has: who stands on one of them, or has
 * marked it, goes on doing so, and a definition stays beside its term.
 * @param {Element} node
 * @param {...(Node | string)} children
 */
export function renew (node, ...children) {
  const made = element('div', {}, ...children).childNodes
  while (node.childNodes.length > made.length) node.lastChild.remove()
  for (const [index, child] of [...made].entries()) {
    const old = node.childNodes[index]
    if (old === undefined) node.append(child)
    else if (old.nodeName !== child.nodeName) old.replaceWith(child)
    else if (child.nodeType === Node.TEXT_NODE) {
      if (old.data !== child.data) old.data = child.data
    } else become(old, child)
  }
}

/** Puts all rows of a table in order; who stands on something in one of them goes on doing so. */
export function arrange (body, rows) {
  const { activeElement: focused } = document
  const isArranged = rows.length === body.children.length && rows.every((row, index) => body.children[index] === row)
  if (!isArranged) body.replaceChildren(...rows)
  if (focused !== document.activeElement && body.contains(focused)) focused.focus({ preventScroll: true })
}

/** Text of a stranger, kept from turning the direction of what stands around it. */
export const foreign = (text, className) => element('bdi', { class: className }, text)

/** What was announced stands for so long, ms, and at most so much of it: enough for whoever speaks it late. */
const SAID_MS = 15_000
const MOST_SAID = 5

/**
 * Says `text` to screen readers, once. Added to what was said before, in whose place it would keep that from being
 * spoken; taken out again, which is not spoken.
 */
export function announce (text) {
  const place = document.querySelector('[data-voice]')
  const said = element('p', {}, text)
  place.append(said)
  if (place.childElementCount > MOST_SAID) place.firstElementChild.remove()
  setTimeout(() => said.remove(), SAID_MS)
}

/** Copies without the clipboard's permission, for pages that are not served securely. */
function copyBySelection (text, near) {
  const field = element('textarea', { class: 'unseen', readonly: '', 'aria-hidden': 'true', tabindex: '-1' })
  field.value = text
  near.after(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  near.focus()
  return done
}

async function copy (button) {
  const { full, what } = button.dataset
  const copied = await (navigator.clipboard?.writeText(full) ?? Promise.reject(new Error('no clipboard')))
    .then(() => true, () => copyBySelection(full, button))
  announce(copied ? `Copied the ${what}` : `The browser did not let us copy the ${what}`)
  if (!copied) return
  button.classList.add('copied')
  setTimeout(() => button.classList.remove('copied'), 1500)
}

/** An address in short that shows the whole when pointed at or focused, and copies it when pressed. */
export function addressButton (address, what, shown) {
  const button = element('button', {
    type: 'button', class: 'address', title: address, 'data-full': address, 'data-what': what
  }, element('span', { class: 'unseen' }, `Copy the ${what}: `), shown)
  button.addEventListener('click', () => copy(button))
  return button
}
