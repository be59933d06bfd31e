import { failureFrom, get } from './api.js'
import { checkDaos } from './contract.js'
import { addressButton, byId, element, setText } from './dom.js'
import { abbreviate, formatCount } from './format.js'
import { failureNotice, remark } from './notice.js'

/** The DAOs that are not on the list, each with its reason; asked for when somebody wants to know. */

const REASONS = {
  excluded: 'The operator of this service leaves it out.',
  undecodable: 'Its account can’t be read: it has a form that this service does not know.',
  'no reserves': 'Its spot pool is empty on at least one side, so that it has no price.',
  'mint unreadable': 'One of its tokens has no readable mint, so that amounts can’t be told.',
  'history incomplete': 'Trades of its last 24 hours are missing; a volume without them would be wrong.'
}

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
