import { createBlockRanges } from './block-range.js'
import { createCmc } from './cmc.js'
import { createCoinGecko } from './coingecko.js'
import type { FormSources } from './sources.js'

/** The market in the forms of those who list it. */
export type Forms = ReturnType<typeof createForms>

export const createForms = (sources: FormSources) =>
  ({ coingecko: createCoinGecko(sources), cmc: createCmc(sources), ...createBlockRanges(sources) })
