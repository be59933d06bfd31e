import { lasting } from '../checks/rounds.js'
import { checkApi } from './api.js'
import { checkBlockRange } from './block-range.js'
import { checkCmc } from './cmc.js'
import { checkCoinGecko } from './coingecko.js'
import { createMarket, type Market } from './market.js'
import { createReader, type Get, type Reader } from './reader.js'
import type { Refuse } from './rules.js'
import { checkJupiter } from './supply.js'

const CHECKS = {
  api: checkApi,
  coingecko: checkCoinGecko,
  dexscreener: (checking: Checking) => checkBlockRange(checking, 'dexscreener'),
  geckoterminal: (checking: Checking) => checkBlockRange(checking, 'geckoterminal'),
  cmc: checkCmc,
  jupiter: checkJupiter
} as const
export type Form = keyof typeof CHECKS
export const FORMS = Object.keys(CHECKS) as Form[]

/** What a check has to hand. */
export interface Checking {
  reader: Reader
  market: Market
  refuse: Refuse
  /** Told of two answers that differ, which may be of two moments. */
  doubt: Refuse
  /** Wall clock, Unix ms. */
  now: number
  /** How many pools, deepest first, are looked at one by one. */
  pools: number
  /** Told of what was compared. */
  compared: (what: string) => void
}

export interface Verdict { problems: string[], compared: string[] }

const DEFAULT_POOLS = 5

/** By which a problem is known again. */
const kindOf = (problem: string): string => problem.replaceAll(/\b\d+(\.\d+)?\b/g, '#')

export interface CheckOptions {
  now?: () => number
  pause?: (ms: number) => Promise<unknown>
  pools?: number
  rounds?: number | undefined
}

/** What a reviewer of this form would refuse, and what was looked at. Two answers may differ, but not in each round. */
export async function checkForm (
  form: Form, get: Get,
  { now = Date.now, pause = async () => {}, pools = DEFAULT_POOLS, rounds }: CheckOptions = {}
): Promise<Verdict> {
  const problems = new Map<string, string>()
  const compared: string[] = []
  const doubts = await lasting(async () => {
    const told = new Map<string, string>()
    const refuse = (problem: string): undefined => {
      if (!problems.has(kindOf(problem))) problems.set(kindOf(problem), problem)
    }
    const doubt = (problem: string): undefined => { told.set(kindOf(problem), problem) }
    const reader = createReader(get, refuse)
    const market = createMarket(createReader(get, form === 'api' ? refuse : () => undefined), now(), pools, pause)
    compared.length = 0
    await CHECKS[form]({ reader, market, refuse, doubt, now: now(), pools, compared: what => { compared.push(what) } })
    return told
  }, pause, rounds)
  return { problems: [...problems.values(), ...doubts.values()], compared }
}
