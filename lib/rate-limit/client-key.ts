import ipaddr from 'ipaddr.js'

/** Whom a request is counted as. */

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * `text` as the address that it is, in one form: a port and a zone taken off, IPv6 as eight groups without leading
 * zeros, an IPv4 one in IPv6 clothes as IPv4; undefined where it is none.
 */
export function plainAddress (text: string): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? []
  const address = (ipv6 ?? ipv4 ?? text).split('%', 1)[0]!
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toNormalizedString()
}

/** Whom a plain address is counted as: itself, or the /64 it lies in, since a subscriber of IPv6 has a whole one. */
export const clientOf = (plain: string): string => plain.includes(':') ? `${plain.split(':', 4).join(':')}::/64` : plain
