/** Deriving a metadata address, against web3.js in the same run: `npm run bench -- pda`. */
import { randomBytes } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import { PROGRAMS } from '../lib/protocol/addresses.js'
import { derive, keyBytes } from '../lib/protocol/pda.js'

const ROUNDS = 500
const program = keyBytes(PROGRAMS.metaplex)
const programKey = new PublicKey(program)
const mints = Array.from({ length: ROUNDS }, () => randomBytes(32))
const seeds = (mint: Buffer): Buffer[] => [Buffer.from('metadata'), program, mint]

function microseconds (work: (mint: Buffer) => unknown): number {
  const begun = process.cpuUsage()
  for (const mint of mints) work(mint)
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / ROUNDS
}

microseconds(mint => derive(seeds(mint), program))   // warms both up
microseconds(mint => PublicKey.findProgramAddressSync(seeds(mint), programKey))
const ours = microseconds(mint => derive(seeds(mint), program))
const theirs = microseconds(mint => PublicKey.findProgramAddressSync(seeds(mint), programKey))
console.log(`derive: ${ours.toFixed(1)} µs; web3.js findProgramAddressSync: ${theirs.toFixed(1)} µs; ratio ${(theirs / ours).toFixed(1)}`)
