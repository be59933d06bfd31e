/* global MutationObserver, document, fetch, localStorage, matchMedia */

/** What the reference page lacks: a way back, the reader's theme, a size for phones, and names for what has none. */

{
  const KEY = 'market-theme'
  const root = document.documentElement
  const systemDark = matchMedia('(prefers-color-scheme: dark)')
  /** Storage throws where it is denied; the choice then lasts as long as the page. */
  const attempt = action => { try { return action() } catch { return null } }
  let chosen = attempt(() => localStorage.getItem(KEY))

  const make = (tag, attributes, ...children) => {
    const node = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
    node.append(...children)
    return node
  }

  const button = make('button', { type: 'button' })
  function paint () {
    const dark = chosen === 'dark' || (chosen !== 'light' && systemDark.matches)
    root.classList.toggle('dark-mode', dark)
    root.style.colorScheme = dark ? 'dark' : 'light'
    button.textContent = dark ? 'Light theme' : 'Dark theme'
  }
  button.addEventListener('click', () => {
    chosen = root.classList.contains('dark-mode') ? 'light' : 'dark'
    attempt(() => localStorage.setItem(KEY, chosen))
    paint()
  })
  systemDark.addEventListener('change', paint)
  paint()

  document.head.append(make('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }))
  const market = document.location.pathname.endsWith('/') ? '../market' : 'market'
  document.body.prepend(make(
    'header', { class: 'site' }, make('nav', { 'aria-label': 'Site' }, make('a', { href: market }, '← Market')), button
  ))

  const site = document.querySelector('header.site')
  let paths = {}
  fetch(document.location.pathname.endsWith('/') ? 'json' : 'documentation/json').then(async response => {
    paths = (await response.json()).paths
    mend()
  })
  const home = document.location.href.replace(/\/documentation.*$/, '')

  /** How an operation that is open is called, at the address of this page. */
  function addSamples (body) {
    const path = body.closest('.opblock').querySelector('.opblock-summary-path')?.dataset.path
    const samples = paths[path]?.get?.['x-codeSamples'] ?? []
    if (samples.length === 0 || body.querySelector('.samples') !== null) return
    const drawn = samples.flatMap(({ label, source }) =>
      [make('h4', {}, label), make('pre', {}, source.replaceAll('http://localhost:3000', home))])
    body.append(make('section', { class: 'samples', 'aria-label': 'Samples' }, ...drawn))
  }

  const region = label => ({ role: 'region', 'aria-label': label })
  /** What those who don't see it need and its scripts leave out, by selector; a function makes it of the node. */
  const LACKING = {
    '.information-container': region('About'),
    '.scheme-container': region('Server'),
    '.models': region('Schemas'),
    '.response select': { 'aria-label': 'Media type' },
    select: { 'aria-label': ({ id }) => id === 'servers' ? 'Server' : 'Choice' },
    '.parameters input': { 'aria-label': ({ placeholder }) => placeholder || 'Value' },
    svg: { 'aria-hidden': 'true' },
    '.highlight-code > *, pre, .responses-inner table': { tabindex: '0' },
    '.copy-to-clipboard button': { 'aria-label': 'Copy' },
    '.opblock-control-arrow': { 'aria-label': 'Show or hide the operation' },
    '.models > h4, h3': { 'aria-level': '2' },
    h4: { 'aria-level': '3' },
    h5: { 'aria-level': '4' }
  }

  /** Its scripts draw anew again and again. */
  function mend () {
    for (const body of document.querySelectorAll('.swagger-ui .opblock-body')) addSamples(body)
    const skip = document.querySelector('.swagger-ui__skip-link')
    if (skip !== null && skip.closest('header') === null) site.prepend(skip)
    for (const [selector, attributes] of Object.entries(LACKING)) {
      for (const node of document.querySelectorAll(`.swagger-ui :is(${selector})`)) {
        for (const [name, value] of Object.entries(attributes)) {
          if (!node.hasAttribute(name)) node.setAttribute(name, typeof value === 'function' ? value(node) : value)
        }
      }
    }
    // a link within a button can't be told from it; the button does the same
    for (const link of document.querySelectorAll('.swagger-ui button a[href]')) link.removeAttribute('href')
  }
  new MutationObserver(mend).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true })
  mend()
}
