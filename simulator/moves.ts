/**
 * What anyone may do on the chain: make tokens, pools and accounts of his own, and trade. Done on a ledger, or sent to
 * one that is served.
 */
import type { Ledger } from './ledger.js'
import { serveLoopback } from './loopback.js'
import { createTokenAccount, type Mint } from './mint.js'

export interface NewToken { symbol: string, name?: string, decimals?: number, /** Raw units. */ supply?: bigint }

/** Addresses are base58, amounts raw units. Each throws an Error for what can't be done. */
export interface Moves {
  /** Gives the address of a new token's mint. */
  mint (token: NewToken): Promise<string>
  /** Gives the address of a new DAO whose pool holds so much; `quote` is USDC where it is not given. */
  pool (base: string, baseReserves: bigint, quoteReserves: bigint, quote?: string): Promise<string>
  swap (dao: string, side: 'buy' | 'sell', amount: bigint): Promise<void>
  /** Puts so much of a token into a new account of an owner's; gives its address. */
  send (mint: string, owner: string, amount: bigint): Promise<string>
  /** Gives the address of a new account that holds these bytes. */
  account (owner: string, bytes: Buffer): Promise<string>
}

const AMOUNT = '#'

/** Moves made on a ledger; only of tokens and pools that were made by them, and of the ledger's own. */
export function movesOn (ledger: Ledger): Moves {
  const usdc = ledger.usdc()
  const mints = new Map<string, Mint>(
    [[usdc.address, usdc], ...ledger.daos.map(({ base }): [string, Mint] => [base.address, base])]
  )
  const mintOf = (address: string): Mint => {
    const mint = mints.get(address)
    if (mint === undefined) throw new Error(`no token ${address}`)
    return mint
  }
  return {
    async mint (token) {
      const mint = ledger.mint(token)
      mints.set(mint.address, mint)
      return mint.address
    },
    pool: async (base, baseReserves, quoteReserves, quote = usdc.address) => ledger.dao(
      { base: mintOf(base), quote: mintOf(quote), baseReserves, quoteReserves }
    ).address,
    async swap (dao, side, amount) {
      const found = ledger.daos.find(({ address }) => address === dao)
      if (found === undefined) throw new Error(`no DAO ${dao}`)
      found.swap(side, amount)
    },
    send: async (mint, owner, amount) =>
      createTokenAccount(ledger.accounts, owner, mintOf(mint), amount, ledger.newAddress()).address,
    async account (owner, data) {
      const address = ledger.newAddress()
      ledger.setAccount(address, { owner, data })
      return address
    }
  }
}

/** Amounts and bytes as text, and back. */
const write = (value: unknown): string => JSON.stringify(
  value, (_key, part: unknown) => typeof part === 'bigint' ? `${AMOUNT}${part}` : part
)
const read = (text: string): unknown => JSON.parse(text, (_key, part: unknown) => (
  typeof part === 'string' && part.startsWith(AMOUNT)
    ? BigInt(part.slice(1))
    : isBytes(part) ? Buffer.from(part.data) : part
))
const isBytes = (part: unknown): part is {
  type: 'Buffer'
  data: number[]
} => typeof part === 'object' && part !== null && 'type' in part && part.type === 'Buffer'

/** Takes moves; only a market that is there to be played with does. */
export async function serveMoves (ledger: Ledger): ReturnType<typeof serveLoopback> {
  const moves = movesOn(ledger)
  async function make (body: string): Promise<unknown> {
    const [name, args] = read(body) as [keyof Moves, unknown[]]
    if (!Object.hasOwn(moves, name)) throw new Error(`no move ${String(name)}`)
    const made = await (moves[name] as (...args: unknown[]) => Promise<unknown>)(...args)
    return { made, time: ledger.time }
  }
  return await serveLoopback(async (body, response) => await make(body).then(
    result => response.end(write(result)), (error: Error) => response.writeHead(400).end(error.message)
  ))
}

/** Moves sent to the market that takes them at `url`; `onMove` is told of the Unix second that each was made in. */
export function sendMoves (url: string, onMove: (time: number) => void): Moves {
  const send = (name: keyof Moves) => async (...args: unknown[]): Promise<never> => {
    const answer = await fetch(url, { method: 'POST', body: write([name, args]) })
    if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`)
    const { made, time } = read(await answer.text()) as { made: never, time: number }
    onMove(time)
    return made
  }
  return { mint: send('mint'), pool: send('pool'), swap: send('swap'), send: send('send'), account: send('account') }
}
