import { lacking } from '../chain/accounts.js'
import type { AtSlot, KnownAccounts, RawAccount } from '../chain/types.js'
import { systemClock } from '../clock.js'
import { packAccounts, unpackAccounts } from './packed-accounts.js'
import type { SlotAges } from './slot-ages.js'

/** The state of all DAOs as one process of several has read it from its node, for the others: one node call in place of one for each. */

/** Where processes put a state for each other. Times are moments of this process's clock, ms. */
export interface StatePlace {
  /** Whether this process may publish, and somebody else is there to read. */
  publishes (): Promise<boolean>
  /** Puts a state in the place of the one before. Throws where this process may no longer. */
  publish (state: { slot: number, seenAt: number, bytes: Buffer }): Promise<void>
  /** The state that another process has published, without its bytes where its slot is `knownSlot`; undefined: none, or this one is to read by itself. */
  read (knownSlot: number | undefined): Promise<{ slot: number, seenAt: number, bytes: Buffer | null } | undefined>
}

export interface SharedStateOptions {
  /** undefined: nothing is shared. */
  place: () => StatePlace | undefined
  program: string
  /** What the data of every account must begin with. */
  prefix: Buffer
  /** How old a state may be, ms. */
  ttl: number
  now: () => number
  ages: SlotAges
  /** Whether a slot is one that the chain may have reached, by what is known here. */
  canBe?: (slot: number) => boolean
  /** Told once when the place fails, and once without an error when it works again. */
  onTrouble?: (error?: unknown) => void
}

export interface SharedState {
  /** A state that another process has read lately, not older than `minSlot` and with every account of `known` that was there by then; undefined: read by yourself. */
  read (minSlot: number | undefined, known: KnownAccounts): Promise<AtSlot<RawAccount[]> | undefined>
  /** Publishes a state that this process has read from its node, in the background. */
  offer (state: AtSlot<RawAccount[]>, seenAt: number): void
}

/** How long another process's state is waited for, ms: a node gives the state, too. */
const WAIT_MS = 500

/** Passes on the first failure, and the first success after one. */
function teller (tell: (error?: unknown) => void): (error?: unknown) => void {
  let failed = false
  return error => {
    if (failed === (error !== undefined)) return
    failed = error !== undefined
    tell(error)
  }
}

export function createSharedState ({ place: placeNow, program, prefix, ttl, now, ages, canBe = () => true, onTrouble = () => {} }: SharedStateOptions): SharedState {
  let taken: AtSlot<RawAccount[]> | undefined
  let offered = -1
  let isReading = false
  let isPublishing = false
  const [tellReading, tellPublishing] = [teller(onTrouble), teller(onTrouble)]

  /** Nothing is believed that a node would not be: the same program, the same kind of account, each once. */
  async function unpack (bytes: Buffer): Promise<RawAccount[]> {
    const accounts = await unpackAccounts(program, bytes)
    if (accounts.some(({ data }) => !data.subarray(0, prefix.length).equals(prefix))) throw new RangeError('a published account of another kind')
    if (new Set(accounts.map(({ address }) => address)).size !== accounts.length) throw new RangeError('a published account twice')
    return accounts
  }

  async function take (place: StatePlace, minSlot: number | undefined, known: KnownAccounts): Promise<AtSlot<RawAccount[]> | undefined> {
    const found = await place.read(taken?.slot)
    if (found === undefined) return undefined
    const { slot, seenAt, bytes } = found
    if (now() - seenAt >= ttl || slot < (minSlot ?? 0) || !canBe(slot)) return undefined
    const state = bytes === null ? taken : { slot, value: await unpack(bytes) }
    if (state?.slot !== slot) return undefined
    const addresses = new Set(state.value.map(({ address }) => address))
    if (addresses.size === 0 || lacking(slot, addresses, known).length > 0) return undefined
    ages.note(slot, seenAt)
    // what this process's own nodes know of the slot may make it older
    if (now() - ages.seenAt(slot) >= ttl) return undefined
    return (taken = state)
  }

  return {
    async read (minSlot, known) {
      const place = placeNow()
      // one that hangs holds up one reader, once
      if (place === undefined || isReading) return undefined
      isReading = true
      const taking = take(place, minSlot, known).finally(() => { isReading = false })
      let cancel = (): void => {}
      const late = new Promise<never>((_resolve, reject) => {
        cancel = systemClock.after(WAIT_MS, () => reject(new Error(`no answer within ${WAIT_MS} ms`)))
      })
      try {
        const state = await Promise.race([taking, late])
        tellReading()
        return state
      } catch (error) {
        // the chain is read instead, and the operator is told
        taking.catch(() => {})
        tellReading(error)
        return undefined
      } finally {
        cancel()
      }
    },

    offer ({ slot, value }, seenAt) {
      const place = placeNow()
      if (place === undefined || isPublishing || slot <= offered || value.length === 0 || now() - seenAt >= ttl) return
      isPublishing = true
      async function publish (place: StatePlace): Promise<void> {
        if (!await place.publishes()) return
        await place.publish({ slot, seenAt, bytes: await packAccounts(program, value) })
        offered = slot
      }
      publish(place).then(() => tellPublishing(), tellPublishing).finally(() => { isPublishing = false })
    }
  }
}
