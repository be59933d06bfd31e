/** A value as columns of a table. */
export interface Mapping<Row, T> {
  columns: ReadonlyArray<keyof Row & string>
  write (value: T, row: Row): void
  read (row: Row): T
}

type Of<M> = M extends Mapping<infer Row, infer T> ? { row: Row, value: T } : never
export type RowOf<M> = Of<M>['row']
export type ValueOf<M> = Of<M>['value']

/** 20 digits, the length of 2^64 − 1: ordered as the numbers are. */
export const seqText = (seq: bigint): string => seq.toString().padStart(20, '0')

export function column<N extends string, S, T> (
  name: N, write: (value: T) => S, read: (stored: S) => T
): Mapping<Record<N, S>, T> {
  return {
    columns: [name],
    write (value, row) { row[name] = write(value) },
    read: row => read(row[name])
  }
}

/** JSON, with bigints as text and maps as lists of entries. */
export const jsonText = (value: unknown): string => JSON.stringify(value, (_, part: unknown) =>
  typeof part === 'bigint' ? String(part) : part instanceof Map ? [...part] : part)

/** Fields that are bigints. */
const AMOUNTS = new Set(['quote', 'base', 'input', 'output', 'pass', 'fail', 'threshold', 'n', 'd'])
/** Of `jsonText`, with maps as lists. */
export const jsonValue = (stored: string) => JSON.parse(stored, (key, value) =>
  AMOUNTS.has(key) && typeof value === 'string' ? BigInt(value) : value)

const plain = <T>() => <N extends string>(name: N) => column<N, T, T>(name, value => value, stored => stored)
export const text = plain<string>()
export const side = plain<'buy' | 'sell'>()
export const number = plain<number>()
export const amount = <N extends string>(name: N) => column(name, (value: bigint) => value.toString(), BigInt)
/** A u64 that is part of a key. */
export const seq = <N extends string>(name: N) => column(name, seqText, BigInt)
export const flag = <N extends string>(name: N) => column(name, Number as (value: boolean) => number, Boolean)
export const bytes = <N extends string>(name: N) =>
  column(name, (value: Buffer) => value.toString('base64'), (stored: string): Buffer => Buffer.from(stored, 'base64'))

/** null where the first of its columns is null or was not read. */
export function optional<Row, T> (
  mapping: Mapping<Row, T>
): Mapping<{ [N in keyof Row]: Row[N] | null }, T | null> {
  const [first] = mapping.columns
  return {
    columns: mapping.columns,
    write (value, row) {
      if (value !== null) mapping.write(value, row as Row)
      else for (const name of mapping.columns) row[name] = null
    },
    read: row => row[first!] == null ? null : mapping.read(row as Row)
  }
}

type Fields = Record<string, Mapping<any, any>>
type Joined<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer All) => void ? All : never
type RowOfAll<F extends Fields> = Joined<RowOf<F[keyof F]>>
type Fieldwise<F extends Fields> = { [K in keyof F]: Of<F[K]>['value'] }

export function record<F extends Fields> (fields: F): Mapping<RowOfAll<F>, Fieldwise<F>> {
  const entries = Object.entries(fields)
  return {
    columns: entries.flatMap(([, { columns }]) => columns) as Array<keyof RowOfAll<F> & string>,
    write (value, row) { for (const [key, mapping] of entries) mapping.write(value[key], row) },
    read (row) {
      const value: Record<string, unknown> = {}
      for (const [key, mapping] of entries) value[key] = mapping.read(row)
      return value as Fieldwise<F>
    }
  }
}

export function rowOf<Row, T> (mapping: Mapping<Row, T>, value: T): Row {
  const row = {} as Row
  mapping.write(value, row)
  return row
}
