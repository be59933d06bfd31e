import type { PublicKey } from '@solana/web3.js'
import type { RawAccount } from '../chain/types.js'
import { DecodeError } from './bytes.js'
import { type AnchorInteger, type ProgramClient, toBigInt, toKey } from './client.js'
import { deriveWith, keyBytes, keyText } from './pda.js'

/** A DAO and its embedded pool, from the prefix of the account that is equal in every version (programs/futarchy/src/state/dao.rs). */
export interface Dao {
  address: string
  /** The address that the account's own bytes lead to: another one where a node has mixed up its accounts. */
  ownAddress: string
  /** Futarchy while a proposal is live: the spot pool then stands beside two conditional ones, which set no price. */
  state: 'spot' | 'futarchy'
  baseMint: string
  quoteMint: string
  /** The token accounts that hold what is in the pool, fees included. */
  readonly baseVault: string
  readonly quoteVault: string
  /** Reserves of the spot pool, raw units; fee balances are not part of them. */
  baseReserves: bigint
  quoteReserves: bigint
  /** Protocol fees that the spot pool holds uncollected, raw units. */
  baseFees: bigint
  quoteFees: bigint
  /** When the pool began, Unix seconds; proposals leave it as it is. */
  readonly createdAt: number
  /** Number of the DAO's latest event; its events are 1, 2, 3 … */
  seqNum: bigint
  /** Bytes of the account: tells which version created or resized it. */
  size: number
}

interface AnchorPool {
  oracle: { createdAtTimestamp: AnchorInteger }
  quoteReserves: AnchorInteger
  baseReserves: AnchorInteger
  quoteProtocolFeeBalance: AnchorInteger
  baseProtocolFeeBalance: AnchorInteger
}
interface AnchorDao {
  amm: {
    state: { spot?: { spot: AnchorPool }, futarchy?: { spot: AnchorPool } }
    baseMint: PublicKey
    quoteMint: PublicKey
    ammBaseVault: PublicKey
    ammQuoteVault: PublicKey
  }
  nonce: AnchorInteger
  daoCreator: PublicKey
  pdaBump: number
  baseMint: PublicKey
  quoteMint: PublicKey
  seqNum: AnchorInteger
}

const SEED = Buffer.from('dao')

/** The address that a DAO's bytes name as their own (seeds `dao`, creator, nonce; programs/futarchy/src/instructions/initialize_dao.rs). */
function ownAddress (client: ProgramClient, address: string, { nonce, daoCreator, pdaBump }: Pick<AnchorDao, 'nonce' | 'daoCreator' | 'pdaBump'>): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(toBigInt(nonce))
  const own = deriveWith([SEED, daoCreator.toBuffer(), bytes], pdaBump, client.programBytes)
  return own.equals(keyBytes(address)) ? address : keyText(own)
}

/** Decodes a DAO account. Throws a DecodeError where it is none, or where the pool's mints are not the DAO's. */
export function decodeDao (client: ProgramClient, account: RawAccount): Dao {
  const { amm, ...dao } = client.dao(account) as AnchorDao
  const pool = amm.state.spot?.spot ?? amm.state.futarchy?.spot
  if (pool === undefined) throw new DecodeError('dao: a pool state that is neither spot nor futarchy')
  if (!amm.baseMint.equals(dao.baseMint) || !amm.quoteMint.equals(dao.quoteMint)) throw new DecodeError('dao: the pool is of other mints')
  // base58 is the dearest part of decoding, and hardly anyone asks for the vaults
  const [baseVault, quoteVault] = [amm.ammBaseVault.toBytes(), amm.ammQuoteVault.toBytes()]
  return {
    address: account.address,
    ownAddress: ownAddress(client, account.address, dao),
    state: amm.state.spot === undefined ? 'futarchy' : 'spot',
    baseMint: toKey(dao.baseMint),
    quoteMint: toKey(dao.quoteMint),
    get baseVault () { return keyText(baseVault) },
    get quoteVault () { return keyText(quoteVault) },
    baseReserves: toBigInt(pool.baseReserves),
    quoteReserves: toBigInt(pool.quoteReserves),
    baseFees: toBigInt(pool.baseProtocolFeeBalance),
    quoteFees: toBigInt(pool.quoteProtocolFeeBalance),
    createdAt: Number(pool.oracle.createdAtTimestamp.toString(10)),
    seqNum: toBigInt(dao.seqNum),
    size: account.data.length
  }
}
