import { ata } from '../../simulator/addresses.js'
import { base58, discriminator, Writer } from '../../simulator/bytes.js'
import fc from './property.js'

/**
 * Every event of the program in every form that was released, field by field as `programs/futarchy/src/events.rs`
 * declares it: what the readers know by offsets is told here by what stands in front of it, so neither is made of the
 * other.
 */

/**
 * A line a form, a word a field: its name, and after a colon its type; a key where none is told. `amm` is FutarchyAmm,
 * in the states that the program may emit it in.
 */
const EVENTS: Record<string, string[]> = {
  SpotSwap: [
    'dao user type:u1 input:u64 output:u64 minimum:u64', 'dao user type:u1 input:u64 output:u64 minimum:u64 amm:any'
  ],
  ConditionalSwap: [
    'dao proposal user market:u8 type:u1 input:u64 output:u64 minimum:u64',
    'dao proposal user market:u8 type:u1 input:u64 output:u64 minimum:u64 amm:live'
  ],
  CollectFees: [
    'dao baseAccount quoteAccount baseVault quoteVault quoteMint baseMint quoteCollected:u64 baseCollected:u64 amm:spot'
  ],
  InitializeDao: [
    'dao baseMint quoteMint passBps:u16 seconds:u32 twap:u128 twapChange:u128 minQuote:u64 minBase:u64 stake:u64 ' +
      'limit:limit multisig vault',
    'dao baseMint quoteMint passBps:u16 seconds:u32 twap:u128 twapChange:u128 twapDelay:u32 minQuote:u64 minBase:u64 ' +
      'stake:u64 limit:limit multisig vault teamBps:u16 team',
    'dao baseMint quoteMint passBps:u16 seconds:u32 twap:u128 twapChange:u128 twapDelay:u32 minQuote:u64 minBase:u64 ' +
      'stake:u64 limit:limit multisig vault teamBps:u16 team majority:u64 validated:u1'
  ],
  UpdateDao: [
    'dao passBps:u16 seconds:u32 twap:u128 twapChange:u128 minQuote:u64 minBase:u64 stake:u64',
    'dao passBps:u16 seconds:u32 twap:u128 twapChange:u128 twapDelay:u32 minQuote:u64 minBase:u64 stake:u64 ' +
      'teamBps:u16 team',
    'dao passBps:u16 seconds:u32 twap:u128 twapChange:u128 twapDelay:u32 minQuote:u64 minBase:u64 stake:u64 ' +
      'teamBps:u16 team optimistic:u1'
  ],
  InitializeProposal: [
    'proposal dao question quoteVault baseVault proposer number:u32 bump:u8 duration:u32 squadsProposal multisig vault'
  ],
  StakeToProposal: ['proposal staker amount:u64 total:u64'],
  UnstakeFromProposal: ['proposal staker amount:u64 total:u64'],
  LaunchProposal: ['proposal dao staked:u64 amm:live', 'proposal dao enqueued:i64 staked:u64 amm:live'],
  FinalizeProposal: [
    'proposal dao passTwap:u128 failTwap:u128 threshold:u128 state:u8 squadsProposal multisig amm:spot',
    'proposal dao passTwap:u128 failTwap:u128 threshold:u128 state:u8 squadsProposal multisig amm:spot sponsored:u1'
  ],
  ProvideLiquidity: [
    'dao user authority quoteIn:u64 baseIn:u64 minted:u128 least:u128',
    'dao user authority quoteIn:u64 baseIn:u64 minted:u128 least:u128 amm:spot'
  ],
  WithdrawLiquidity: [
    'dao user liquidity:u128 leastBase:u64 leastQuote:u64 baseOut:u64 quoteOut:u64',
    'dao user liquidity:u128 leastBase:u64 leastQuote:u64 baseOut:u64 quoteOut:u64 amm:spot'
  ],
  SponsorProposal: ['proposal dao team'],
  CollectMeteoraDammFees: ['dao pool baseAccount quoteAccount quoteMint baseMint quoteCollected:u64 baseCollected:u64'],
  RemoveProposal: ['proposal dao admin'],
  AdminCancelProposal: ['proposal dao admin amm:spot'],
  AdminFixPositionAuthority: ['dao admin position before after'],
  InitiateVaultSpendOptimisticProposal: [
    'dao proposer squadsProposal multisig vault amount:u64 recipient from to enqueued:i64'
  ],
  FinalizeOptimisticProposal: ['dao squadsProposal'],
  ApproveProposal: ['proposal dao approver'],
  AdminUpdateProposalParams: ['dao proposal admin durationBefore:u32 duration:u32 thresholdBefore:u16 threshold:u16'],
  SetSpendingLimit: ['dao limit:limit'],
  SyncSpendingLimit: ['dao spendingLimit limit:limit'],
  ApplyLiquidation: ['dao proposal user baseSwept:u64 quoteSwept:u64 amm:any']
}

interface Field { name: string, type: string }
export interface EventForm { name: string, fields: Field[] }

export const EVENT_NAMES = Object.keys(EVENTS)
export const isState = (type: string): boolean => ['spot', 'live', 'any'].includes(type)
export const FORMS: EventForm[] = Object.entries(EVENTS).flatMap(([name, forms]) =>
  forms.map(text => ({
    name, fields: text.split(' ').map(word => ({ name: word.split(':')[0]!, type: word.split(':')[1] ?? 'key' }))
  })))

export interface PoolState { quote: bigint, base: bigint, quoteFees: bigint, baseFees: bigint, created: bigint }
export interface AmmState {
  kind: 'spot' | 'live'
  spot: PoolState
  pass: PoolState
  fail: PoolState
  baseMint: string
  quoteMint: string
}

/** An event as it was emitted: its bytes, what each field holds, and where it begins. */
export interface Emitted {
  form: EventForm
  data: Buffer
  slot: bigint
  at: bigint
  seq: bigint
  keys: Record<string, string>
  numbers: Record<string, bigint>
  amm: AmmState | null
  offsets: Record<string, number>
}

const BITS: Record<string, number> = { u1: 1, u8: 8, u16: 16, u32: 32, u64: 64, u128: 128 }
const BYTES: Record<string, number> = { u1: 1, u8: 1, u16: 2, u32: 4, u64: 8, i64: 8, u128: 16, key: 32, limit: 1 }
const STATE_BYTES = { spot: 277, live: 541 }

/** Bytes of an event of a form, tag and common fields included, with a state of this kind and no spending limit. */
export const lengthOf = ({ fields }: EventForm, kind: AmmState['kind']): number =>
  fields.reduce((sum, { type }) => sum + (isState(type) ? STATE_BYTES[kind] : BYTES[type]!), 40)

const unsigned = (bits: number): fc.Arbitrary<bigint> => fc.bigInt(0n, (1n << BigInt(bits)) - 1n)
/** Seconds at which the program existed. */
const seconds = fc.bigInt(1_760_000_000n, 1_900_000_000n)

// deriving the vaults of new mints would be most of the work
const MINTS = [1, 2, 3, 4].map(value => base58(Buffer.alloc(32, value)))
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(base58)
const DAOS = [11, 12, 13].map(value => base58(Buffer.alloc(32, value)))

const pool: fc.Arbitrary<PoolState> = fc.record(
  { quote: unsigned(64), base: unsigned(64), quoteFees: unsigned(64), baseFees: unsigned(64), created: seconds }
)

/** No byte of it could be the tag of a state. */
const AGGREGATOR = BigInt(`0x${'5a'.repeat(16)}`)

/**
 * FutarchyAmm and what is in it (`programs/futarchy/src/state/futarchy_amm.rs`): quote stands before base in the pools,
 * base before quote elsewhere.
 */
function writeState (writer: Writer, dao: string, { kind, spot, pass, fail, baseMint, quoteMint }: AmmState): void {
  writer.u8(kind === 'spot' ? 0 : 1)
  for (const { quote, base, quoteFees, baseFees, created } of kind === 'spot' ? [spot] : [spot, pass, fail]) {
    writer.u128(AGGREGATOR).i64(created +
      60n).i64(created).u128(1n).u128(2n).u128(3n).u128(4n).u32(0).u64(quote).u64(base).u64(quoteFees).u64(baseFees)
  }
  writer.u128(9n << 70n).key(baseMint).key(quoteMint).key(ata(dao, baseMint)).key(ata(dao, quoteMint))
}

function write (writer: Writer, type: string, value: string | bigint | readonly string[]): void {
  if (type === 'key') writer.key(value as string)
  else if (type === 'limit') {
    const members = value as readonly string[]
    writer.option(members.length === 0 ? null : members, list => {
      writer.u64(5n).u32(list.length)
      for (const member of list) writer.key(member)
    })
  } else if (type === 'u128') writer.u128(value as bigint)
  else if (type === 'u64') writer.u64(value as bigint)
  else if (type === 'i64') writer.i64(value as bigint)
  else if (type === 'u32') writer.u32(Number(value))
  else if (type === 'u16') writer.u16(Number(value))
  else writer.u8(Number(value))
}

/** Any event of a form, with random values in all of its fields. */
export function emitted (form: EventForm): fc.Arbitrary<Emitted> {
  const state = form.fields.find(({ type }) => isState(type))
  const plain = form.fields.filter(field => field !== state)
  const values = fc.tuple(...plain.map(({ name, type }): fc.Arbitrary<string | bigint | string[]> => {
    if (name === 'dao') return fc.constantFrom(...DAOS)
    if (name === 'market') return fc.constantFrom(1n, 2n)
    if (type === 'key') return key
    if (type === 'limit') return fc.array(key, { maxLength: 10 })
    return type === 'i64' ? seconds : unsigned(BITS[type]!)
  }))
  const amm = fc.record({
    kind: state?.type === 'any' || state === undefined
      ? fc.constantFrom<AmmState['kind'][]>('spot', 'live')
      : fc.constant(state.type as AmmState['kind']),
    spot: pool,
    pass: pool,
    fail: pool,
    mints: fc.shuffledSubarray(MINTS, { minLength: 2, maxLength: 2 })
  }).map(
    ({ mints: [baseMint, quoteMint], ...rest }): AmmState => ({ ...rest, baseMint: baseMint!, quoteMint: quoteMint! })
  )
  return fc.record(
    { slot: fc.bigInt(0n, BigInt(Number.MAX_SAFE_INTEGER)), at: seconds, seq: unsigned(64), values, amm }
  ).map(({ slot, at, seq, values, amm }) => {
    const event: Emitted = {
      form,
      data: Buffer.alloc(0),
      slot,
      at,
      seq,
      keys: {},
      numbers: {},
      amm: state === undefined ? null : amm,
      offsets: {}
    }
    const writer = new Writer(2048).bytes(Buffer.from('e445a52e51cb9a1d', 'hex')).bytes(
      discriminator('event', `${form.name}Event`)
    ).u64(slot).i64(at).u64(seq)
    const given = values[Symbol.iterator]()
    for (const field of form.fields) {
      event.offsets[field.name] = writer.offset
      if (field === state) {
        writeState(writer, event.keys['dao']!, amm)
        continue
      }
      const value = given.next().value!
      if (typeof value === 'string') event.keys[field.name] = value
      else if (typeof value === 'bigint') event.numbers[field.name] = value
      write(writer, field.type, value)
    }
    return { ...event, data: Buffer.from(writer.done()) }
  })
}

/** One event of a form, always the same. */
export const sampleOf = (form: EventForm, seed = 1): Emitted => fc.sample(emitted(form), { seed, numRuns: 1 })[0]!
