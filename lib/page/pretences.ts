import type { Snapshot } from '../live/snapshot.js'
import type { Pool } from '../../schemas/pools.js'

/** What a pool's names may pretend: to be another token here, or a dollar. */
export type Mark = 'symbol' | 'name' | 'dollar'

/** Pools, and what is known of their tokens: a list has texts only where they are short. */
export interface Named { pools: readonly Pool[], tokens: Snapshot['tokens'] }

/** Of tokens that people take for a dollar. */
const DOLLAR = /usd|^dai$/
/** Cyrillic and Greek letters, each with the Latin one that it is taken for. */
const ALIKE = new Map(
  'аa вb сc еe нh іi јj кk мm оo рp ѕs тt уy хx αa βb εe ηh ιi κk μm νn οo ρp τt υy χx ζz'.split(' ')
    .map(([seen, taken]) => [seen!, taken!])
)
/** A text as people tell it from others: letters that look alike are the same, and nothing is unseen. */
const plain = (text: string): string => text.normalize('NFKC').replace(/[\p{C}\p{Z}]/gu, '').toLowerCase()
  .replace(/./gu, letter => ALIKE.get(letter) ?? letter)

/** A function that gives the marks of one of the pools, by what the names of all of them may be taken for. */
export function pretences ({ pools, tokens }: Named): (pool: Pool) => Mark[] {
  const [names, mints] = [new Map<string, Record<'symbol' | 'name', string>>(), new Map<string, number>()]
  for (const token of pools.flatMap(({ base, quote }) => [base, quote])) {
    if (names.has(token.mint)) continue
    const { symbol, name } = tokens.get(token.mint)?.whole ?? token
    const plainly = { symbol: plain(symbol), name: plain(name) }
    names.set(token.mint, plainly)
    for (const key of [`symbol ${plainly.symbol}`, `name ${plainly.name}`]) mints.set(key, (mints.get(key) ?? 0) + 1)
  }
  return ({ base, quote, priced_in_usd: isPriced }) => {
    const own = names.get(base.mint)!
    const shared = (['symbol', 'name'] as const)
      .filter(kind => own[kind] !== '' && mints.get(`${kind} ${own[kind]}`)! > 1)
    return [...shared, ...!isPriced && DOLLAR.test(names.get(quote.mint)!.symbol) ? ['dollar' as const] : []]
  }
}
