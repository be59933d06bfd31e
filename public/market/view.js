import { Failure } from './api.js'
import { announce, byId, renew, setText } from './dom.js'
import { formatDay, formatSeconds, formatTime } from './format.js'
import { failureNotice, failureText } from './notice.js'

/**
 * Parts of a page that show what one address answers: drawing, failures, freshness, and a word for those who don't see
 * it.
 */

const freshness = ({ loadedAt, age, missing, since }) => [
  age === null
    ? `Loaded at ${formatTime(loadedAt)}`
    : `Loaded at ${formatTime(loadedAt)}, but ${formatSeconds(age)} old: the service could not read the chain since`,
  missing === null
    ? ''
    : since === null
      ? '. Incomplete: some trades are missing, which no node has shown'
      : `. The days before ${formatDay(since)} are still being read`
].join('')

/**
 * A function for `poll` that shows answers in the part of the page named `id`, with its `-state`, `-fresh` and
 * `-loading` where they exist.
 * What goes wrong is told on the banner; in the part itself only where it has nothing to show.
 * @param {{ id: string, banner: any, draw: (data: any) => void, loaded: (data: any) => string, unknown?: () => void
 * }} options `unknown` runs when there is a failure and nothing was ever loaded.
 */
export function createView ({ id, banner, draw, loaded, unknown = () => {} }) {
  let said = ''
  const say = text => {
    if (text !== said) announce(text)
    said = text
  }

  return (answer, failure, retry) => {
    byId(`${id}-loading`)?.remove()
    byId(id).removeAttribute('aria-busy')
    if (answer !== null && failure === null) draw(answer.data)
    if (answer === null) unknown()
    const state = byId(`${id}-state`)
    if (state !== null) renew(state, ...failure !== null && answer === null ? [failureNotice(failure, retry)] : [])
    const line = byId(`${id}-fresh`)
    if (line !== null) {
      setText(line, answer === null ? '' : freshness(answer))
      line.dataset.state = failure === null && answer.age === null && answer.missing === null ? 'fresh' : 'old'
    }
    banner.report(id, answer, failure, retry)
    if (failure !== null) say(failureText(failure))
    else {
      say(
        answer.age === null ? loaded(answer.data) : 'What is shown is old: the service could not read the chain since'
      )
    }
  }
}

/** Lets a button load what comes after what is shown; what goes wrong is told in `place`. */
export function loadMore (button, place, load) {
  let isLoading = false
  button.addEventListener('click', async () => {
    if (isLoading) return
    isLoading = true
    try {
      await load()
      place.replaceChildren()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      place.replaceChildren(failureNotice(error, () => button.click()))
    } finally {
      isLoading = false
    }
  })
}
