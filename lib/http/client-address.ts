import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/
/** What a socket that listens for both families writes before an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.)/i

/**
 * `text` as an address in one form: without port and zone, IPv6 as eight groups without leading zeros, a mapped IPv4
 * one as IPv4; undefined where it is none.
 */
export function plainAddress (text: string): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? []
  const address = (ipv6 ?? ipv4 ?? text).split('%', 1)[0]!.replace(MAPPED, '')
  if (isIPv4(address)) return address
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toNormalizedString()
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

const familyOf = (address: string): 'ipv4' | 'ipv6' => isIPv4(address) ? 'ipv4' : 'ipv6'

/** Whether an address, as a proxy or a socket writes it, is one of `members`; those that are none match nothing. */
export function addressMatcher (members: readonly string[]): (address: string) => boolean {
  // one for each family: the platform counts IPv4 addresses as mapped ones, which `::/0` would hold
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const member of members.filter(isAddressOrRange)) {
    const [text = '', bits] = member.split('/')
    const address = plainAddress(text)!
    const family = familyOf(address)
    const left = family === 'ipv4' && !isIPv4(text) ? 96 : 0
    if (bits === undefined) ranges[family].addAddress(address, family)
    else ranges[family].addSubnet(address, Math.max(0, Number(bits) - left), family)
  }
  return address => {
    const plain = plainAddress(address)
    return plain !== undefined && ranges[familyOf(plain)].check(plain, familyOf(plain))
  }
}
