import { LRUCache } from 'lru-cache'
import { inSlices } from '../async.js'
import { chunks } from '../chunks.js'
import { systemClock } from '../clock.js'
import { upTo } from '../lru.js'
import { MAX_ACCOUNTS } from '../chain/accounts.js'
import type { AccountReader, RawAccount } from '../chain/types.js'
import { listedText, MAX_NAME, MAX_SYMBOL } from '../market/token-text.js'
import { metadataAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import { decodeMetaplex, token2022Metadata, type TokenText } from '../protocol/metadata.js'
import { decodeMint } from '../protocol/token.js'

/** Symbol and name as they are listed: empty where they are longer than anybody needs. */
export interface Token extends TokenText {
  mint: string
  decimals: number
  /** As they were written, where that is longer. */
  whole?: TokenText
}

export type TokenReader = ReturnType<typeof createTokenReader>

interface TokenReaderOptions {
  reader: AccountReader
  /** How long a token is kept, ms. */
  ttl: number
  now?: () => number
}

const MAX_TOKENS = 100_000
/** Calls under way at once: public nodes allow 40 of one method in 10 s. */
const CALLS_AT_ONCE = 4
const NO_TEXT: TokenText = { symbol: '', name: '' }

export function createTokenReader ({ reader, ttl, now = systemClock.now }: TokenReaderOptions) {
  // what was a mint stays one: its decimals go on to be known while a node gives something else
  const kept = new LRUCache<string, { token: Token, at: number }>(upTo(MAX_TOKENS))

  /** The accounts at `addresses`, in as few calls as there are hundreds. */
  async function readAll (addresses: readonly string[], minSlot: number): Promise<Map<string, RawAccount | null>> {
    const found = new Map<string, RawAccount | null>()
    for (const lists of chunks([...chunks(addresses, MAX_ACCOUNTS)], CALLS_AT_ONCE)) {
      const { value } = await reader.accountLists(lists, minSlot)
      lists.forEach((list, at) => list.forEach((address, index) => found.set(address, value[at]![index]!)))
    }
    return found
  }

  async function readTokens (mints: readonly string[], minSlot: number): Promise<Array<Token | null>> {
    const metadata = await inSlices(mints, metadataAddress)
    const accounts = await readAll([...mints, ...metadata], minSlot)
    const said = mints.map(mint => {
      const account = accounts.get(mint)
      return account == null ? undefined : tolerant(() => token2022Metadata(account))
    })
    const pointers = said.map((text, at) => text !== undefined && 'at' in text ? text.at : metadata[at]!)
    const pointed = await readAll(pointers.filter(pointer => !accounts.has(pointer)), minSlot)
    return await inSlices(mints.entries(), ([at, mint]) => {
      const [own, pointer] = [said[at], pointers[at]!]
      const text = own !== undefined && 'name' in own ? own : undefined
      return decodeToken(accounts.get(mint)!, text, accounts.get(pointer) ?? pointed.get(pointer) ?? null)
    })
  }

  return {
    /**
     * The tokens of `mints`; null for a key never seen to hold a mint, which is asked for each time. What is not kept
     * costs two accounts. Throws the ServiceError of a failed read: then nothing is kept.
     */
    async read (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>> {
      const at = now()
      const missing = [...new Set(mints)].filter(mint => {
        const entry = kept.get(mint)
        return entry === undefined || at - entry.at >= ttl
      })
      for (const [index, token] of (await readTokens(missing, minSlot)).entries()) {
        if (token !== null) kept.set(missing[index]!, { token, at })
      }
      return new Map(mints.map(mint => [mint, kept.get(mint)?.token ?? null]))
    }
  }
}

/** What `read` gives; undefined where its bytes are odd: text is optional, and its faults are its creator's. */
function tolerant<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** The token of a mint: its text is its own, or else that of the account that may hold one. */
function decodeToken (mint: RawAccount | null, own: TokenText | undefined, metadata: RawAccount | null): Token | null {
  const decoded = mint === null ? undefined : decodeMint(mint)
  if (mint === null || decoded === undefined) return null
  const { address } = mint
  const text = own ?? (metadata === null ? undefined : tolerant(() => decodeMetaplex(metadata, address))) ?? NO_TEXT
  const whole = { symbol: text.symbol, name: text.name }
  const listed = { symbol: listedText(whole.symbol, MAX_SYMBOL), name: listedText(whole.name, MAX_NAME) }
  const isListed = listed.symbol === whole.symbol && listed.name === whole.name
  return { mint: address, decimals: decoded.decimals, ...listed, ...!isListed && { whole } }
}
