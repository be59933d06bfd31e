import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/
/** What a socket that listens for both families writes before an IPv4 address, and how many bits that is. */
const MAPPED = /^::ffff:(?=\d+\.)/i
const MAPPED_BITS = 96

/**
 * `text` as an address in one form: without port and zone, IPv6 as eight groups without leading zeros, a mapped IPv4
 * one as IPv4; undefined where it is none.
 */
export function plainAddress (text: string): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? []
  const address = (ipv6 ?? ipv4 ?? text).split('%', 1)[0]!.replace(MAPPED, '')
  if (isIPv4(address)) return address
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toNormalizedString()
}

/** Whom a plain address is counted as: itself, or its /64, which a subscriber of IPv6 has to himself. */
export const clientOf = (plain: string): string => plain.includes(':') ? `${plain.split(':', 4).join(':')}::/64` : plain

/** Whether `text` is an IP address, or a range of them in CIDR notation. */
export function isAddressOrRange (text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Whether an address, as a proxy or a socket writes it, is one of `members`; those that are none match nothing. */
export function addressMatcher (members: readonly string[]): (address: string) => boolean {
  const ranges = members.filter(isAddressOrRange).map(member => {
    const [address = '', bits] = member.split('/')
    const named = ipaddr.parse(address)
    const width = bits === undefined ? named.toByteArray().length * 8 : Number(bits)
    // who is asked about is written as IPv4 where he is mapped
    const isMapped = named instanceof ipaddr.IPv6 && named.isIPv4MappedAddress() && width >= MAPPED_BITS
    const [range, left] = isMapped ? [named.toIPv4Address(), width - MAPPED_BITS] : [named, width]
    return { range, kind: range.kind(), bits: left }
  })
  if (ranges.length === 0) return () => false
  return address => {
    const plain = plainAddress(address)
    if (plain === undefined) return false
    const asked = ipaddr.parse(plain)
    return ranges.some(({ range, kind, bits }) => kind === asked.kind() && asked.match(range, bits))
  }
}
