/* global document */

import { get } from './api.js'
import { byId, element, foreign, setText } from './dom.js'
import { formatExact, NONE } from './format.js'

/** What a figure means, in the words of the API's own description: asked for when somebody wants to know. */

/** The operation whose answer has the figures of a kind. */
const OPERATIONS = {
  pool: '/api/pools/{pool_id}',
  provenance: '/api/pools/{pool_id}',
  ticker: '/api/tickers/{ticker_id}',
  supply: '/api/supply/{mintAddress}',
  treasury: '/api/daos/{dao}/treasury'
}

let reference

const loadReference = () => {
  reference ??= get('documentation/json', body => body).then(({ data }) => data, error => {
    reference = undefined
    throw error
  })
  return reference
}

/** The schemas that a schema is made of: itself, what it refers to, and the parts of a union or of an intersection. */
function * partsOf (schema, document) {
  if (schema === undefined || schema === null) return
  if (schema.$ref !== undefined) {
    yield * partsOf(document.components.schemas[schema.$ref.split('/').at(-1)], document)
    return
  }
  yield schema
  for (const part of [...schema.allOf ?? [], ...schema.anyOf ?? []]) yield * partsOf(part, document)
}

/**
 * The description of a field of an operation's answer; undefined where the document has none. Also one level down, in
 * `data` and `provenance`.
 */
function describe (document, kind, field) {
  const { schema } = document.paths[OPERATIONS[kind]].get.responses[200].content['application/json']
  for (const part of partsOf(schema, document)) {
    for (const inner of [
      part, ...['data', 'provenance'].flatMap(name => [...partsOf(part.properties?.[name], document)])
    ]) {
      const found = inner.properties?.[field]
      for (const candidate of found === undefined ? [] : [found, ...partsOf(found, document)]) {
        if (candidate.description !== undefined) return candidate.description
      }
    }
  }
  return undefined
}

/** A word that tells its definition when pressed. `of` is the kind and the field: "pool.last_price". */
export const termButton = (text, of) => element(
  'button', { type: 'button', class: 'term', 'data-of': of, 'aria-haspopup': 'dialog' }, text
)
/** A term of a list; without `of` it is plain text. */
export const term = (text, of) => element('dt', {}, of === undefined ? text : termButton(text, of))

/** A line of a list of facts; `exact` is shown on pointing. */
export const fact = (label, of, value, { exact, units } = {}) => element('div', {}, term(label, of),
  element('dd', { title: exact }, value, ...units === undefined ? [] : [' ', foreign(units, 'unit')]))

/** A figure of a unit, and a dash without one where it is not known. */
export const measure = (label, of, text, units, write) => text === null || text === undefined
  ? fact(label, of, NONE)
  : fact(label, of, write(text), { exact: formatExact(text), units })

async function show (button) {
  const [kind, field] = button.dataset.of.split('.')
  setText(byId('definition-title'), button.textContent)
  setText(byId('definition-text'), 'Loading…')
  byId('definition').showPopover({ source: button })
  let text
  try {
    text = describe(await loadReference(), kind, field) ?? 'The API reference does not describe this figure.'
  } catch {
    text = 'The API reference could not be loaded.'
  }
  setText(byId('definition-text'), text)
}

/** Tells what a term means when it is pressed. */
export function tellDefinitions () {
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('button.term')
    if (button !== null) show(button)
  })
}
