/* global document, localStorage, matchMedia */

/**
 * Light or dark: what the reader chose here, else what the system says. Runs before the page is drawn, so that it never
 * flashes.
 */

{
  const KEY = 'market-theme'
  const root = document.documentElement
  const systemDark = matchMedia('(prefers-color-scheme: dark)')

  /** Storage throws where it is denied; the choice then lasts as long as the page. */
  const attempt = action => { try { return action() } catch { return null } }
  const chosen = () => root.dataset.theme ?? (systemDark.matches ? 'dark' : 'light')

  const stored = attempt(() => localStorage.getItem(KEY))
  if (stored === 'light' || stored === 'dark') root.dataset.theme = stored

  // without its script, which a restart or a filter may have kept from it, a page would wait for good
  let isWhole = true
  document.addEventListener('error', ({ target }) => {
    isWhole &&= target.localName !== 'script'
    tell()
  }, true)
  function tell () {
    const main = document.querySelector('main')
    if (isWhole || document.readyState === 'loading' || main.firstElementChild.role === 'alert') return
    const notice = document.createElement('p')
    notice.role = 'alert'
    notice.className = 'notice error'
    notice.textContent = 'A script of this page could not be loaded, so its figures are not shown: load the page again.'
    main.prepend(notice)
  }

  document.addEventListener('DOMContentLoaded', () => {
    tell()
    const button = document.getElementById('theme')
    const label = () => {
      const other = chosen() === 'dark' ? 'light' : 'dark'
      button.setAttribute('aria-label', `Switch to the ${other} theme`)
    }
    button.addEventListener('click', () => {
      root.dataset.theme = chosen() === 'dark' ? 'light' : 'dark'
      attempt(() => localStorage.setItem(KEY, root.dataset.theme))
      label()
    })
    systemDark.addEventListener('change', label)
    label()
  })
}
