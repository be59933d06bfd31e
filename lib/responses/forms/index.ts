import { createBlockRanges } from './block-range.js'
import { createCmc } from './cmc.js'
import { createCoinGecko } from './coingecko.js'
import type { FormSources } from './sources.js'
import { createWindowTickers } from './windows.js'

export function createForms (sources: FormSources) {
  const windows = createWindowTickers(sources)
  return {
    coingecko: createCoinGecko(sources, windows),
    cmc: createCmc(sources, undefined, windows),
    ...createBlockRanges(sources)
  }
}
