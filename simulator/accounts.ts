/** The accounts of the ledger: each knows how to write its bytes, and writes them when somebody asks. */

/** What is at an address. */
export interface Account { owner: string, data: Buffer, lamports: number }

export interface Entry {
  readonly address: string
  readonly owner: string
  readonly lamports: number
  /** The bytes now; the same Buffer until the account changes. Not to be written to. */
  data (): Buffer
  /** The bytes now as base64; made once per change. */
  base64 (): string
  /** To be called when what the bytes are made of has changed. */
  touch (): void
}

export interface AccountStore {
  /** Puts an account at an address; `write` is called when its bytes are asked for after a change. */
  put (address: string, owner: string, write: () => Buffer): Entry
  remove (address: string): void
  get (address: string): Entry | undefined
  /** Where an account is, overridden ones included. */
  addresses (): string[]
  /** All accounts of a program. */
  ofProgram (program: string): Entry[]
  /**
   * Puts other bytes before the genuine ones, whatever the ledger does; null: nothing is there; undefined: the genuine
   * ones again.
   */
  override (address: string, account: { owner: string, data: Uint8Array, lamports?: number } | null | undefined): void
  /** Called with each address that changes. */
  onChange: ((address: string) => void) | null
  size (): number
}

// Rent exemption: (128 + size) bytes × 3480 lamports × 2 years.
const rent = (size: number): number => (128 + size) * 6960

export function createAccountStore (): AccountStore {
  const entries = new Map<string, Entry>()
  const overrides = new Map<string, Entry | null>()
  const programs = new Map<string, Set<string>>()

  function createEntry (address: string, owner: string, write: () => Buffer, lamports?: number): Entry {
    let bytes: Buffer | null = null
    let text: string | null = null
    return {
      address,
      owner,
      get lamports () { return lamports ?? rent(this.data().length) },
      data () {
        bytes ??= write()
        return bytes
      },
      base64 () {
        text ??= this.data().toString('base64')
        return text
      },
      touch () {
        bytes = text = null
        store.onChange?.(address)
      }
    }
  }

  const store: AccountStore = {
    onChange: null,
    put (address, owner, write) {
      store.remove(address)
      const entry = createEntry(address, owner, write)
      entries.set(address, entry)
      let members = programs.get(owner)
      if (members === undefined) programs.set(owner, members = new Set())
      members.add(address)
      store.onChange?.(address)
      return entry
    },
    remove (address) {
      const entry = entries.get(address)
      if (entry === undefined) return
      entries.delete(address)
      programs.get(entry.owner)?.delete(address)
      store.onChange?.(address)
    },
    get (address) {
      const override = overrides.get(address)
      return override === undefined ? entries.get(address) : override ?? undefined
    },
    addresses: () => [...new Set([...entries.keys(), ...overrides.keys()])],
    ofProgram (program) {
      const found: Entry[] = []
      for (const address of programs.get(program) ?? []) {
        if (!overrides.has(address)) found.push(entries.get(address)!)
      }
      for (const entry of overrides.values()) {
        if (entry?.owner === program) found.push(entry)
      }
      return found
    },
    override (address, account) {
      if (account === undefined) overrides.delete(address)
      else if (account === null) overrides.set(address, null)
      else {
        const bytes = Buffer.from(account.data)
        overrides.set(address, createEntry(address, account.owner, () => bytes, account.lamports))
      }
      store.onChange?.(address)
    },
    size: () => entries.size
  }
  return store
}
