/**
 * Why a DAO is not on the list, by the API's word for it.
 * @type {Record<string, string>}
 */
export const REASONS = {
  excluded: 'The operator of this service leaves it out.',
  undecodable: 'Its account can’t be read: it has a form that this service does not know.',
  'no reserves': 'Its spot pool is empty on at least one side, so that it has no price.',
  'mint unreadable': 'One of its tokens has no readable mint, so that amounts can’t be told.',
  'history incomplete': 'Trades of its last 24 hours are missing; a volume without them would be wrong.'
}
