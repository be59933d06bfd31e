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

// Rent exemption: (128 + size) bytes × 3480 lamports × 2 years.
const rent = (size: number): number => (128 + size) * 6960

export function createEntry (
  address: string, owner: string, write: () => Buffer, lamports?: number, onTouch = (): void => {}
): Entry {
  let bytes: Buffer | null = null
  let text: string | null = null
  const data = (): Buffer => (bytes ??= write())
  return {
    address,
    owner,
    get lamports () { return lamports ?? rent(data().length) },
    data,
    base64: () => (text ??= data().toString('base64')),
    touch () {
      bytes = text = null
      onTouch()
    }
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>

/** `onChange` is called with each address that changes. */
export function createAccountStore (onChange: (address: string) => void) {
  const entries = new Map<string, Entry>()
  const overrides = new Map<string, Entry | null>()

  const store = {
    /** Puts an account at an address; `write` is called when its bytes are asked for after a change. */
    put (address: string, owner: string, write: () => Buffer): Entry {
      store.remove(address)
      const entry = createEntry(address, owner, write, undefined, () => onChange(address))
      entries.set(address, entry)
      onChange(address)
      return entry
    },
    remove (address: string): void {
      if (entries.delete(address)) onChange(address)
    },
    get (address: string): Entry | undefined {
      const override = overrides.get(address)
      return override === undefined ? entries.get(address) : override ?? undefined
    },
    /** Where an account is, overridden ones included. */
    addresses: (): string[] => [...new Set([...entries.keys(), ...overrides.keys()])],
    ofProgram (program: string): Entry[] {
      const genuine = [...entries.values()].filter(({ address }) => !overrides.has(address))
      return [...genuine, ...overrides.values()].filter(entry => entry?.owner === program) as Entry[]
    },
    /**
     * Puts other bytes before the genuine ones, whatever the ledger does; null: nothing is there; undefined: the
     * genuine ones again.
     */
    override (
      address: string, account: { owner: string, data: Uint8Array, lamports?: number } | null | undefined
    ): void {
      if (account === undefined) overrides.delete(address)
      else if (account === null) overrides.set(address, null)
      else {
        const bytes = Buffer.from(account.data)
        overrides.set(address, createEntry(address, account.owner, () => bytes, account.lamports))
      }
      onChange(address)
    }
  }
  return store
}
