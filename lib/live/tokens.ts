import { LRUCache } from 'lru-cache'
import { inParallel, inSlices } from '../async.js'
import { systemClock } from '../clock.js'
import { isServiceError } from '../errors.js'
import { upTo } from '../lru.js'
import { MAX_ACCOUNTS } from '../chain/accounts.js'
import type { AccountReader, RawAccount } from '../chain/types.js'
import { metadataAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import { decodeMetaplex, token2022Metadata, type TokenText } from '../protocol/metadata.js'
import { decodeMint } from '../protocol/token.js'

/** Decimals and texts of tokens, which hardly ever change: read in batches and kept for a while. */

export interface Token extends TokenText {
  mint: string
  decimals: number
}

export interface TokenReader {
  /**
   * The tokens of `mints`; null for a key that has never been seen to hold a mint: as many of those as one call takes are asked for again each time. Whatever
   * is not in the cache costs two accounts, 100 accounts a node call.
   * Throws the ServiceError of a failed read: then nothing is known, and nothing is kept.
   */
  read (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>>
}

export interface TokenReaderOptions {
  reader: AccountReader
  /** How long a token is kept, ms. */
  ttl: number
  now?: () => number
}

/** Far more than the mints of any chain state seen; a bound all the same. */
const MAX_TOKENS = 100_000
/** Calls under way at once: public nodes allow 40 of one method in 10 s. */
const CALLS_AT_ONCE = 4
/** A key that was no mint is asked for again after this, ms: at first contact a node may have been wrong. */
const RETRY_MS = 5_000
const MAX_RETRIED = MAX_ACCOUNTS / 2
const NO_TEXT: TokenText = { symbol: '', name: '' }

export function createTokenReader ({ reader, ttl, now = systemClock.now }: TokenReaderOptions): TokenReader {
  const kept = new LRUCache<string, { token: Token | null, at: number }>(upTo(MAX_TOKENS))
  // an address derived from a mint never changes
  const metadataOf = new LRUCache<string, string, unknown>({ ...upTo(MAX_TOKENS), memoMethod: metadataAddress })

  /** Accounts by address, in as few calls as there are hundreds of them. */
  async function readAll (addresses: readonly string[], minSlot: number): Promise<Map<string, RawAccount | null>> {
    const pages: string[][] = []
    for (let i = 0; i < addresses.length; i += MAX_ACCOUNTS) pages.push(addresses.slice(i, i + MAX_ACCOUNTS))
    const found = new Map<string, RawAccount | null>()
    await inParallel(pages, CALLS_AT_ONCE, async page => {
      const { value } = await reader.accounts(page, minSlot)
      page.forEach((address, i) => found.set(address, value[i]!))
    })
    return found
  }

  async function readTokens (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>> {
    const addresses = await inSlices(mints, mint => [mint, metadataOf.memo(mint)])
    const accounts = await readAll(addresses.flat(), minSlot)
    const pointers = new Map<string, string>()
    for (const mint of mints) {
      const pointer = pointerOf(accounts.get(mint))
      if (pointer !== undefined && !accounts.has(pointer)) pointers.set(mint, pointer)
    }
    if (pointers.size > 0) {
      const pointed = await readAll([...new Set(pointers.values())], minSlot)
      for (const [address, account] of pointed) accounts.set(address, account)
    }
    return new Map(await inSlices(mints, mint => [mint, decodeToken(mint, accounts, metadataOf.memo(mint))] as const))
  }

  /** Reads tokens and keeps them, as of `at`. */
  async function renew (mints: readonly string[], minSlot: number, at: number, tokens: Map<string, Token | null>): Promise<void> {
    for (const [mint, read] of await readTokens(mints, minSlot)) {
      // What was a mint stays one: its decimals go on to be known while a node gives something else
      const token = read ?? kept.peek(mint)?.token ?? null
      kept.set(mint, { token, at })
      tokens.set(mint, token)
    }
  }

  return {
    async read (mints, minSlot) {
      const tokens = new Map<string, Token | null>()
      const missing: string[] = []
      const doubtful: Array<{ mint: string, at: number }> = []
      const at = now()
      for (const mint of new Set(mints)) {
        const entry = kept.get(mint)
        if (entry === undefined || at - entry.at >= ttl) {
          missing.push(mint)
          continue
        }
        tokens.set(mint, entry.token)
        if (entry.token === null && at - entry.at >= RETRY_MS) doubtful.push({ mint, at: entry.at })
      }
      if (missing.length > 0) await renew(missing, minSlot, at, tokens)
      const again = doubtful.sort((a, b) => a.at - b.at).slice(0, MAX_RETRIED).map(({ mint }) => mint)
      try {
        if (again.length > 0) await renew(again, minSlot, at, tokens)
      } catch (error) {
        // they stay what they were: all else is known
        if (!isServiceError(error)) throw error
      }
      return tokens
    }
  }
}

/** What `read` gives; undefined where the bytes are not what they should be: text is optional, and its faults are its creator's. */
function tolerant<T> (read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function pointerOf (mint: RawAccount | null | undefined): string | undefined {
  const says = mint ? tolerant(() => token2022Metadata(mint)) : undefined
  return says !== undefined && 'at' in says ? says.at : undefined
}

function decodeToken (mint: string, accounts: ReadonlyMap<string, RawAccount | null>, metaplexAddress: string): Token | null {
  const account = accounts.get(mint)
  const decoded = account ? decodeMint(account) : undefined
  if (account == null || decoded === undefined) return null
  const says = tolerant(() => token2022Metadata(account))
  const own = says !== undefined && !('at' in says) ? says : undefined
  const metaplex = accounts.get(says !== undefined && 'at' in says ? says.at : metaplexAddress)
  const text = own ?? (metaplex ? tolerant(() => decodeMetaplex(metaplex, mint)) : undefined) ?? NO_TEXT
  return { mint, decimals: decoded.decimals, symbol: text.symbol, name: text.name }
}
