import { checkBlockRange } from './block-range.js'
import { checkCmc } from './cmc.js'
import { checkCoinGecko } from './coingecko.js'
import { checkJupiter } from './jupiter.js'
import type { Get } from './rules.js'

export const FORMS = ['coingecko', 'dexscreener', 'geckoterminal', 'cmc', 'jupiter'] as const
export type Form = typeof FORMS[number]

/** What a reviewer of this form would refuse; nothing where all is well. `now`: wall clock, Unix ms. */
export async function checkForm (form: Form, get: Get, now = Date.now()): Promise<string[]> {
  const problems: string[] = []
  const refuse = (problem: string): undefined => { problems.push(problem) }
  if (form === 'coingecko') await checkCoinGecko(get, refuse, now)
  else if (form === 'cmc') await checkCmc(get, refuse, now)
  else if (form === 'jupiter') await checkJupiter(get, refuse)
  else await checkBlockRange(get, form, refuse)
  return problems
}
