import { LRUCache } from 'lru-cache'
import { inSlices } from '../async.js'
import { chunks } from '../chunks.js'
import { systemClock } from '../clock.js'
import { isServiceError } from '../errors.js'
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

export interface TokenReader {
  /**
   * The tokens of `mints`; null for a key never seen to hold a mint, of which some are asked for again each time. What
   * is not kept costs two accounts, 100 accounts a node call. Throws the ServiceError of a failed read: then nothing is
   * kept.
   */
  read (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>>
}

interface TokenReaderOptions {
  reader: AccountReader
  /** How long a token is kept, ms. */
  ttl: number
  now?: () => number
}

const MAX_TOKENS = 100_000
/** Calls under way at once: public nodes allow 40 of one method in 10 s. */
const CALLS_AT_ONCE = 4
/** A key that was no mint is asked for again after this, ms: a node may have been wrong. */
const RETRY_MS = 5_000
/** A mint and its metadata are read together. */
const PER_CALL = MAX_ACCOUNTS - MAX_ACCOUNTS % 2
const MAX_RETRIED = PER_CALL / 2
const NO_TEXT: TokenText = { symbol: '', name: '' }

export function createTokenReader ({ reader, ttl, now = systemClock.now }: TokenReaderOptions): TokenReader {
  const kept = new LRUCache<string, { token: Token | null, at: number }>(upTo(MAX_TOKENS))

  /** Reads `addresses` in as few calls as there are hundreds; `take` is given what each call gave. */
  async function readAll (addresses: readonly string[], minSlot: number, take: (
    addresses: readonly string[], accounts: ReadonlyArray<RawAccount | null>
  ) => void): Promise<void> {
    for (const lists of chunks([...chunks(addresses, PER_CALL)], CALLS_AT_ONCE)) {
      const { value } = await reader.accountLists(lists, minSlot)
      lists.forEach((list, i) => take(list, value[i]!))
    }
  }

  async function readTokens (mints: readonly string[], minSlot: number): Promise<Map<string, Token | null>> {
    const tokens = new Map<string, Token | null>()
    const pointing = new Map<RawAccount, string>()
    const addresses = await inSlices(mints, mint => [mint, metadataAddress(mint)])
    await readAll(addresses.flat(), minSlot, (asked, accounts) => {
      for (let at = 0; at < asked.length; at += 2) {
        const [mint, metadata] = [accounts[at]!, accounts[at + 1]!]
        const says = mint === null ? undefined : tolerant(() => token2022Metadata(mint))
        const own = says !== undefined && 'name' in says ? says : undefined
        const pointsTo = says !== undefined && 'at' in says ? says.at : asked[at + 1]!
        if (mint !== null && pointsTo !== asked[at + 1]) pointing.set(mint, pointsTo)
        else tokens.set(asked[at]!, decodeToken(mint, own, metadata))
      }
    })
    const pointed = new Map<string, RawAccount | null>()
    await readAll([...new Set(pointing.values())], minSlot, (asked, accounts) =>
      asked.forEach((address, at) => pointed.set(address, accounts[at]!)))
    for (const [mint, pointer] of pointing) {
      tokens.set(mint.address, decodeToken(mint, undefined, pointed.get(pointer)!))
    }
    return tokens
  }

  /** Reads tokens and keeps them, as of `at`. */
  async function renew (
    mints: readonly string[], minSlot: number, at: number, tokens: Map<string, Token | null>
  ): Promise<void> {
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
