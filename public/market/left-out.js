import { failureFrom, get } from './api.js'
import { checkDaos } from './contract.js'
import { addressButton, byId, element, setText } from './dom.js'
import { abbreviate, formatCount } from './format.js'
import { failureNotice, remark } from './notice.js'
import { REASONS } from './reasons.js'

/** The DAOs that are not on the list, each with its reason; asked for when somebody wants to know. */

function draw ({ daos, discovered }) {
  const left = daos.filter(({ listed }) => !listed)
  if (left.length === 0) return [remark(`None: all ${formatCount(discovered, 'DAO')} on the chain are listed.`)]
  return [
    element('p', { class: 'fine' }, `${left.length} of ${formatCount(discovered, 'DAO')} on the chain.`),
    element('ul', { class: 'reasons' }, ...left.map(({ dao, reason }) => element('li', {},
      addressButton(dao, 'DAO’s address', abbreviate(dao)), element('span', {}, REASONS[reason] ?? reason))))
  ]
}

export function createLeftOut () {
  const details = byId('left-out-details')
  const body = byId('left-out-body')

  async function load () {
    setText(body, 'Loading…')
    try {
      body.replaceChildren(...draw((await get('api/daos', checkDaos)).data))
    } catch (error) {
      body.replaceChildren(failureNotice(failureFrom(error), load))
    }
  }

  details.addEventListener('toggle', () => { if (details.open) load() })
}
