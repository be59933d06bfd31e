import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/** An address without port and zone, a mapped IPv4 one as IPv4; undefined where `text` is none. */
function parse (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? []
  const address = (ipv6 ?? ipv4 ?? text).split('%', 1)[0]!
  return isIP(address) === 0 ? undefined : ipaddr.process(address)
}

/** An address in its one form, IPv6 as eight groups without leading zeros; undefined where `text` is none. */
export const plainAddress = (text: string): string | undefined =>
  isIPv4(text) ? text : parse(text)?.toNormalizedString()

/** The client that a plain address is counted as: itself, or its /64, which is one subscriber's. */
export const clientOf = (plain: string) => plain.includes(':') ? `${plain.split(':', 4).join(':')}::/64` : plain

/** Whether `text` is an IP address, or a range of them in CIDR notation. */
export const isAddressOrRange = (text: string) =>
  isIP(text.split('/', 1)[0]!) !== 0 && (!text.includes('/') || ipaddr.isValidCIDR(text))

/** An address or a range with the bits that are its own; of a mapped one those of IPv4. */
function rangeOf (member: string): [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number] {
  const [text = '', bits] = member.split('/')
  const address = parse(text)!
  const own = isIPv4(text) ? 32 : 128
  const left = address.kind() === 'ipv4' ? own - 32 : 0
  return [address, Math.max(0, Number(bits ?? own) - left)]
}

/** Whether an address, as a proxy or a socket writes it, is one of `members`; those that are none match nothing. */
export function addressMatcher (members: readonly string[]): (address: string) => boolean {
  const ranges = members.filter(isAddressOrRange).map(rangeOf)
  // asked for each request, mostly of none
  if (ranges.length === 0) return () => false
  return text => {
    const address = parse(text)
    return address !== undefined &&
      ranges.some(range => range[0].kind() === address.kind() && address.match(range))
  }
}
