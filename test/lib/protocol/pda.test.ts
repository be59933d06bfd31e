import { randomBytes } from 'node:crypto'
import bs58 from 'bs58'
import { PublicKey } from '@solana/web3.js'
import { test } from 'tap'
import {
  eventAuthority, launchAddresses, LAUNCHPADS, metadataAddress, PROGRAMS, tokenAccountAddress
} from '../../../lib/protocol/addresses.js'
import { derive, isOnCurve, keyBytes, keyText, parseKey } from '../../../lib/protocol/pda.js'
import fc from '../../support/property.js'

test('derivation and curve check agree with web3.js', async t => {
  let differences = 0
  for (let i = 0; i < 300; i++) {
    const [seed, program] = [randomBytes(i % 33), randomBytes(32)]
    const [expected] = PublicKey.findProgramAddressSync([seed], new PublicKey(program))
    if (!derive([seed], program).equals(expected.toBuffer())) differences++
    if (isOnCurve(program) !== PublicKey.isOnCurve(program)) differences++
  }
  t.equal(differences, 0)
})

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
function power (base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let at = base, rest = exponent; rest > 0n; rest >>= 1n, at = at * at % P) {
    if (rest % 2n === 1n) result = result * at % P
  }
  return result
}
/** A square root modulo P, by Euler's criterion and the root of -1; undefined where there is none. */
function root (value: bigint): bigint | undefined {
  const guess = power(value, (P + 3n) / 8n)
  return [guess, guess * power(2n, (P - 1n) / 4n) % P].find(found => found * found % P === value)
}
const modulo = (value: bigint): bigint => (value % P + P) % P
const keyOf = (y: bigint): Buffer => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse()

test('numbers with any count of twos are told from squares as web3.js does it', async t => {
  // y with (y² − 1) (d·y² + 1) = s, a quadratic equation of y²: so the number that the curve check begins with can be
  // chosen
  for (const twos of [0n, 1n, 2n, 3n, 4n, 28n, 29n, 30n, 31n, 32n, 33n, 34n, 61n, 62n, 63n, 64n, 65n, 96n, 127n]) {
    const found = new Map<boolean, number>()
    for (let odd = 1n; [true, false].some(is => (found.get(is) ?? 0) < 3); odd += 2n) {
      const s = modulo(odd << twos)
      const discriminant = root(modulo((1n - D) ** 2n + 4n * D * (1n + s)))
      const y = discriminant === undefined ? undefined : root(modulo((D - 1n + discriminant) * power(2n * D, P - 2n)))
      if (y === undefined) continue
      const key = keyOf(y)
      const expected = PublicKey.isOnCurve(key)
      found.set(expected, (found.get(expected) ?? 0) + 1)
      t.equal(isOnCurve(key), expected, { message: `${odd} × 2^${twos}`, diagnostic: false })
    }
  }
})

test(
  'points that libraries differ on are what they are to the runtime: any y modulo p, whatever the sign of x',
  async t => {
    const sign = 2n ** 255n
    for (const y of [0n, 1n, P - 1n]) t.ok(isOnCurve(keyOf(y)) && isOnCurve(keyOf(y + sign)), `${y}`)
    for (const y of [P, P + 1n]) t.ok(isOnCurve(keyOf(y)) && isOnCurve(keyOf(y + sign)), 'not reduced')
    t.notOk(isOnCurve(keyOf(2n)))
    t.notOk(isOnCurve(keyOf(P + 2n)))
  }
)

test('addresses that stand on mainnet', async t => {
  const umbra = 'PRVT6TB7uss3FrUd2D9xs2zqDBsa3GbMJMwCQsgmeta'
  const v06 = LAUNCHPADS.find(({ version }) => version === 'v0.6')!
  t.match(launchAddresses(v06.program, umbra), {
    launch: '9kx7UDFzFt7e2V4pFtawnupKKvRR3EhV7P1Pxmc5XCQj',
    signer: '3x1Nc6zwv3ouVYqWKYMbAi4e2x69cGjTYaXhuJy13LQa',
    package: '3kX3EWm9iPB6oxFS2NJ71L6v5wzFZ8rQMEG6HC8QHJtF',
    position: 'CdBXZ7iodqp95tZuk7SUHfBn5a4PKUbjHqnx5N33zNyM',
    positionNft: '2b3fM2n9iTPG1xJrPevtdQ7Ju5QHuRbBmmA84k3UF4TA',
    positionNftAccount: '4iP1N52aR5jgnmH4ZVcGUuAuoSuijeovBEEwvvFUENs9'
  })
  t.equal(
    tokenAccountAddress('BLkBSE96kQys7SrMioKxeMiVbeo4Ckk2Y4n1JphKxYnv', umbra, PROGRAMS.token),
    '71naRuPZLV3T6BSk4YpNYhyb2kKWbrefDMFu2Q49e9yd'
  )
  t.equal(metadataAddress(umbra), 'ERS31LnQCveaxdUb5worLSiQyw6cfycUssJEyCiYAFg7')
  t.equal(
    eventAuthority('FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'), 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC'
  )
})

test('a key is 32 bytes of base58 and nothing else', async t => {
  t.equal(keyText(parseKey('11111111111111111111111111111111')!), '11111111111111111111111111111111')
  for (const text of [
    '', '1', 'x'.repeat(5_000), '0'.repeat(32), '1111111111111111111111111111111', '111111111111111111111111111111111',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l', 'z'.repeat(44), 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v '
  ]) {
    t.equal(parseKey(text), undefined, JSON.stringify(text.slice(0, 60)))
  }
  t.throws(() => keyBytes('no key'), RangeError)
})

test('what is no key of 32 bytes is none, as by the usual library', async t => {
  const digit = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz')
  const texts = fc.oneof(
    fc.array(digit, { minLength: 28, maxLength: 48 }).map(digits => digits.join('')),
    fc.tuple(
      fc.nat(44), fc.array(digit, { minLength: 0, maxLength: 45 })
    ).map(([ones, digits]) => '1'.repeat(ones) + digits.join('')),
    fc.uint8Array({ minLength: 31, maxLength: 33 }).map(bytes => bs58.encode(bytes)),
    fc.string({ minLength: 32, maxLength: 44 })
  )
  fc.assert(fc.property(texts, text => {
    const bytes = bs58.decodeUnsafe(text)
    const key = parseKey(text)
    return bytes?.length === 32 ? key!.equals(bytes) && keyText(key!) === text : key === undefined
  }), { numRuns: 5000 })
})
