import { createBlockRanges } from './block-range.js'
import { createCmc } from './cmc.js'
import { createCoinGecko } from './coingecko.js'
import type { FormSources } from './sources.js'

export type Forms = ReturnType<typeof createForms>

export const createForms = (sources: FormSources) =>
  ({ coingecko: createCoinGecko(sources), cmc: createCmc(sources), ...createBlockRanges(sources) })
