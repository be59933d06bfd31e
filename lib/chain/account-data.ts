import { isRecord } from './rpc.js'

/** The bytes of accounts, which JSON holds as base64. */

/** The bytes of a text that is base64 to its last character; undefined where it is anything else. */
export function decodeBase64 (text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  // Buffer.from passes over what is no base64: count what it should have given
  return bytes.length === Buffer.byteLength(text, 'base64') ? bytes : undefined
}

/** Puts bytes in the place of the base64 in a member of an answer to getProgramAccounts; leaves anything else as it is. */
export function decodeData (member: unknown): void {
  if (!isRecord(member) || !isRecord(member.account) || !Array.isArray(member.account.data)) return
  const { data } = member.account
  const bytes = typeof data[0] === 'string' && data[1] === 'base64' ? decodeBase64(data[0]) : undefined
  if (bytes !== undefined) data[0] = bytes
}
