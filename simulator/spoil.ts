/** The faults that change an answer after it was made. */
import { PROGRAMS } from './addresses.js'
import { CLOCK_OWNER } from './clock-account.js'
import { type ActiveFault } from './faults.js'

type Json = any

const isAccount = (value: Json): boolean =>
  value !== null && typeof value === 'object' && 'owner' in value && 'lamports' in value

/** Calls `change` with every account of an answer. */
function eachAccount (value: Json, change: (account: Json) => void): void {
  if (value === null || typeof value !== 'object') return
  if (isAccount(value)) change(value)
  else for (const member of Object.values(value)) eachAccount(member, change)
}

function swapAccounts (result: Json): void {
  const list: Json[] = Array.isArray(result) ? result : result?.value
  if (!Array.isArray(list) || list.length < 2) return
  if (list[0] !== null && 'pubkey' in list[0]) {
    const accounts = list.map(({ account }) => account)
    list.forEach((entry, at) => { entry.account = accounts[(at + 1) % accounts.length] })
  } else list.push(list.shift())
}

const isContextual = (result: Json): boolean => result !== null && typeof result === 'object' && 'context' in result

const sum = (text: string): number => [...text].reduce((total, letter) => total + letter.charCodeAt(0), 0)

function removeField (result: Json, path: string | undefined): void {
  const steps = path === undefined
    ? isContextual(result) ? ['value'] : Array.isArray(result) ? ['0', 'signature'] : ['meta']
    : path.split('.')
  const last = steps.pop()!
  let at = result
  for (const step of steps) at = at?.[step]
  if (at !== null && typeof at === 'object') delete at[last]
}

const changes: Partial<Record<ActiveFault['kind'], (result: Json, value: Json) => Json>> = {
  'wrong-slot' (result, value) {
    const lag = Number(value ?? 1000)
    if (typeof result === 'number') return result - lag
    if (isContextual(result)) result.context.slot -= lag
    else if (typeof result?.slot === 'number') result.slot -= lag
    return result
  },
  // It names the slot, and knows nothing of it
  'slot-jump-ahead': (result, value) => changes['wrong-slot']!(result, -Number(value ?? 1_000_000_000)),
  'missing-field' (result, value) {
    removeField(result, value)
    return result
  },
  'null-value': result => isContextual(result) ? { ...result, value: null } : null,
  'wrong-owner' (result, value) {
    // the Clock, beside every list, has faults of its own
    eachAccount(result, account => { if (account.owner !== CLOCK_OWNER) account.owner = value ?? PROGRAMS.system })
    return result
  },
  'swapped-accounts' (result) {
    swapAccounts(result)
    return result
  },
  'null-transaction': result => typeof result?.transaction === 'object' ? null : result,
  'inner-null' (result) {
    if (result?.meta !== undefined && result.meta !== null) result.meta.innerInstructions = null
    return result
  },
  'skipped-signatures' (result, value) {
    const listed = ({ signature, transaction }: Json): boolean =>
      sum(signature ?? transaction.signatures[0]) % Number(value ?? 4) !== 0
    if (Array.isArray(result?.data)) return { ...result, data: result.data.filter(listed) }
    return Array.isArray(result) && typeof result[0]?.signature === 'string' ? result.filter(listed) : result
  },
  hole (result, [from, to]: [number, number]) {
    const has = ({ blockTime }: Json): boolean => blockTime < from || blockTime > to
    if (Array.isArray(result?.data)) return { ...result, data: result.data.filter(has) }
    if (Array.isArray(result) && typeof result[0]?.signature === 'string') return result.filter(has)
    return typeof result?.transaction === 'object' && !has(result) ? null : result
  },
  'no-account' (result, value) {
    if (Array.isArray(result?.value)) {
      result.value = result.value.map((account: Json, at: number) => at === Number(value ?? 0) ? null : account)
    }
    return result
  },
  'wrong-order': result => Array.isArray(result) ? result.reverse() : result
}

/** @param text the genuine result as JSON text */
export function spoil (text: string, faults: readonly ActiveFault[]): string {
  if (!faults.some(({ kind }) => kind in changes)) return text
  let result: Json = JSON.parse(text)
  for (const { kind, value } of faults) {
    result = changes[kind]?.(result, value) ?? (changes[kind] === undefined ? result : null)
  }
  return JSON.stringify(result)
}
