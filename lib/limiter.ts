import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/** Counting requests in windows that turn as the minute turns, in bounded memory. */

export const WINDOW = 60_000
/** Addresses counted at once, about 20 MB of them. Beyond it the one not seen for longest is forgotten: who keeps asking stays counted. */
export const MOST_CLIENTS = 100_000

export interface Count {
  /** Requests in this window, this one included. */
  current: number
  /** Milliseconds until the window turns. */
  ttl: number
}

export interface WindowCounter {
  count (key: string): Count
  /** Clients counted in this window. */
  size (): number
}

export function createWindowCounter (now: () => number = Date.now, most: number = MOST_CLIENTS): WindowCounter {
  const counts = new LRUCache<string, { current: number }>({ max: most })
  let window = 0
  return {
    count (key) {
      const time = now()
      const turned = Math.floor(time / WINDOW)
      if (turned !== window) {
        counts.clear()
        window = turned
      }
      const ttl = WINDOW - time % WINDOW
      const known = counts.get(key)
      if (known !== undefined) return { current: ++known.current, ttl }
      counts.set(key, { current: 1 })
      return { current: 1, ttl }
    },
    size: () => counts.size
  }
}

/** Some proxies write the port behind the address. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

/** The 16-bit groups of an IPv6 address in lower case without leading zeros, so that each address has one form. */
function groupsOf (address: string): string[] {
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back]
}

/** `text` as the address that it is, an IPv4 one in IPv6 clothes as IPv4; undefined where it is none. */
export function plainAddress (text: string): string | undefined {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? []
  const address = ipv6 ?? ipv4 ?? text
  const family = isIP(address)
  if (family !== 6) return family === 4 ? address : undefined
  const groups = groupsOf(address)
  if (groups.slice(0, 6).join() !== '0,0,0,0,0,ffff') return groups.join(':')
  return groups.slice(6).flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
}

/** Whom a plain address is counted as: itself, or the /64 it lies in, since a subscriber of IPv6 has a whole one. */
export const clientOf = (plain: string): string => plain.includes(':') ? `${plain.split(':', 4).join(':')}::/64` : plain
