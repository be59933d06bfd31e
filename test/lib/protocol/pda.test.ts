import { randomBytes } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import { test } from 'tap'
import { eventAuthority, launchAddresses, LAUNCHPADS, metadataAddress, tokenAccountAddress } from '../../../lib/protocol/addresses.js'
import { derive, isOnCurve, keyBytes, keyText, parseKey } from '../../../lib/protocol/pda.js'

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
  t.equal(tokenAccountAddress('BLkBSE96kQys7SrMioKxeMiVbeo4Ckk2Y4n1JphKxYnv', umbra), '71naRuPZLV3T6BSk4YpNYhyb2kKWbrefDMFu2Q49e9yd')
  t.equal(metadataAddress(umbra), 'ERS31LnQCveaxdUb5worLSiQyw6cfycUssJEyCiYAFg7')
  t.equal(eventAuthority('FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'), 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC')
})

test('a key is 32 bytes of base58 and nothing else', async t => {
  t.equal(keyText(parseKey('11111111111111111111111111111111')!), '11111111111111111111111111111111')
  for (const text of ['', '1', 'x'.repeat(5_000), '0'.repeat(32), '1111111111111111111111111111111', '111111111111111111111111111111111',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l', 'z'.repeat(44), 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v ']) {
    t.equal(parseKey(text), undefined, JSON.stringify(text.slice(0, 60)))
  }
  t.throws(() => keyBytes('no key'), RangeError)
})
