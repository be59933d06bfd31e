import { LRUCache } from 'lru-cache'
import { systemClock } from '../clock.js'
import { upTo } from '../lru.js'
import type { AccountReader } from '../chain/accounts.js'
import { ServiceError } from '../errors.js'
import { metadataAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import { decodeMetaplex, token2022Metadata, type TokenText } from '../protocol/metadata.js'
import { decodeMint } from '../protocol/token.js'
import { endOf, MAX_NAME, MAX_SYMBOL } from '../../public/market/format.js'
import { type AccountSet, createSetReader } from './account-sets.js'

/** Symbol and name as they are listed: empty where they are longer than anybody needs; `whole`: then as written. */
export type Token = NonNullable<ReturnType<typeof decodeToken>>

export type TokenReader = ReturnType<typeof createTokenReader>

interface TokenReaderOptions {
  reader: AccountReader
  /** How long a token is kept, ms. */
  ttl: number
  now?: () => number
}

const MAX_TOKENS = 100_000
const NO_TEXT: TokenText = { symbol: '', name: '' }

export function createTokenReader ({ reader, ttl, now = systemClock.now }: TokenReaderOptions) {
  const readSets = createSetReader(reader)
  // what was a mint stays one: its decimals are known even while a node gives something else
  const kept = new LRUCache<string, { token: Token, at: number }>(upTo(MAX_TOKENS))

  return {
    /**
     * The tokens of `mints`; null for a key never seen to hold a mint, which is asked for each time. What is not kept
     * costs two accounts. Throws the ServiceError of a failed read: then nothing is kept.
     */
    async read (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>> {
      const at = now()
      const wanted = [...new Set(mints)]
      const missing = wanted.filter(mint => at - (kept.get(mint)?.at ?? -Infinity) >= ttl)
      const read = await readSets([], missing, mint => [mint, metadataAddress(mint)], decodeToken, minSlot)
      for (const [mint, token] of read) {
        if (token !== null && !(token instanceof ServiceError)) kept.set(mint, { token, at })
      }
      return new Map(wanted.map(mint => [mint, kept.get(mint)?.token ?? null]))
    }
  }
}

/** What `read` gives; undefined where it throws a DecodeError: text is optional, and its faults are its creator's. */
function tolerant<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** The text as a list has it: one of more than `most` characters, as a page counts them, counts as none. */
export const listedText = (text: string, most: number): string => endOf(text, most) === undefined ? text : ''

function decodeToken (mint: string, { accounts, asked }: AccountSet) {
  const account = accounts.get(mint)
  const decoded = account && decodeMint(account)
  if (decoded === undefined) return null
  const said = tolerant(() => token2022Metadata(account!))
  const [, place] = asked
  // a mint may point anywhere, to accounts of 10 MB too: metadata in a form that is read is at one address alone
  const metadata = said !== undefined && 'at' in said && said.at !== place ? undefined : accounts.get(place!)
  const whole = said !== undefined && 'name' in said
    ? said
    : (metadata && tolerant(() => decodeMetaplex(metadata, mint))) ?? NO_TEXT
  const listed = { symbol: listedText(whole.symbol, MAX_SYMBOL), name: listedText(whole.name, MAX_NAME) }
  const isListed = listed.symbol === whole.symbol && listed.name === whole.name
  const { tokenProgram, decimals } = decoded
  return { mint, tokenProgram, decimals, ...listed, ...!isListed && { whole } }
}
