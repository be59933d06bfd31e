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

  /** What its scripts draw anew again and again, without names for those who don't see it. */
  function mend () {
    for (const body of document.querySelectorAll('.swagger-ui .opblock-body')) addSamples(body)
    const skip = document.querySelector('.swagger-ui__skip-link')
    if (skip !== null && skip.closest('header') === null) site.prepend(skip)
    for (const [part, label] of [
      ['information-container', 'About'], ['scheme-container', 'Server'], ['models', 'Schemas']
    ]) {
      for (const found of document.querySelectorAll(`.swagger-ui .${part}:not([role])`)) {
        found.setAttribute('role', 'region')
        found.setAttribute('aria-label', label)
      }
    }
    for (const select of document.querySelectorAll('.swagger-ui select:not([aria-label])')) {
      select.setAttribute(
        'aria-label',
        select.closest('.response') === null ? select.id === 'servers' ? 'Server' : 'Choice' : 'Media type'
      )
    }
    for (const input of document.querySelectorAll('.swagger-ui .parameters input:not([aria-label])')) {
      input.setAttribute('aria-label', input.getAttribute('placeholder') ?? 'Value')
    }
    for (const icon of document.querySelectorAll('.swagger-ui svg:not([aria-hidden])')) {
      icon.setAttribute('aria-hidden', 'true')
    }
    for (const block of document.querySelectorAll(
      '.swagger-ui .highlight-code > *, .swagger-ui pre, .swagger-ui .responses-inner table'
    )) if (!block.hasAttribute('tabindex')) block.setAttribute('tabindex', '0')
    for (const copy of document.querySelectorAll('.swagger-ui .copy-to-clipboard button')) {
      if (!copy.hasAttribute('aria-label')) copy.setAttribute('aria-label', 'Copy')
    }
    for (const control of document.querySelectorAll('.swagger-ui .opblock-control-arrow:not([aria-label])')) {
      control.setAttribute('aria-label', 'Show or hide the operation')
    }
    // a link within a button can't be told from it; the button does the same
    for (const link of document.querySelectorAll('.swagger-ui button a[href]')) link.removeAttribute('href')
    for (const [name, level] of [['h3', '2'], ['h4', '3'], ['.models > h4', '2'], ['h5', '4']]) {
      for (const heading of document.querySelectorAll(`.swagger-ui ${name}:not([aria-level="${level}"])`)) {
        if (!heading.matches('.models > h4') || level === '2') heading.setAttribute('aria-level', level)
      }
    }
  }
  new MutationObserver(mend).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true })
  mend()
}
