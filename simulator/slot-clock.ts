/** Time and slots of the chain: a slot takes 0.2 s, or what is set, or for ever while the chain has halted. */

const SLOT_MS = 200

/** Until when slots of mainnet took how long, Unix seconds; they have taken 200 ms since. */
const ERAS = [
  { until: Date.UTC(2026, 7, 21) / 1000, ms: 400 },
  { until: Date.UTC(2026, 7, 28) / 1000, ms: 350 },
  { until: Date.UTC(2026, 8, 18) / 1000, ms: 300 },
  { until: Date.UTC(2026, 9, 9, 14, 35) / 1000, ms: 250 }
]

/** How slots and the chain's own clock go on from a slot on. */
interface Pace {
  /** When the slot begins: ms of the world, and of the chain's own clock, since the start. */
  at: number
  time: number
  slot: number
  /** Of a slot; null: the chain has halted. */
  ms: number | null
  /** Of the chain's clock: 1 keeps up with UTC. */
  rate: number
}

/**
 * What it gives is told where the ledger passes it on.
 * @param start Unix seconds and the slot at that moment
 * @param withEras slots are as long as mainnet's were at the time
 */
export function createSlotClock (start: { time: number, slot: number }, withEras = false) {
  let elapsed = 0
  const eras = withEras ? ERAS.filter(({ until }) => until > start.time) : []
  const paces: Pace[] = [{ at: 0, time: 0, slot: start.slot, ms: eras[0]?.ms ?? SLOT_MS, rate: 1 }]
  const last = (): Pace => paces[paces.length - 1]!
  const slotBy = ({ slot, at, ms }: Pace, now: number): number =>
    ms === null ? slot : slot + Math.floor((now - at) / ms)
  const slot = (): number => slotBy(last(), elapsed)
  /** When a slot of a pace begins, in both clocks. */
  function beginOf (pace: Pace, wanted: number): { at: number, time: number } {
    const ms = (wanted - pace.slot) * (pace.ms ?? 0)
    return { at: pace.at + ms, time: pace.time + ms * pace.rate }
  }
  const chainMs = (): number => last().time + (elapsed - last().at) * last().rate
  /** From a slot that begins now. */
  const goOn = (change: Partial<Pace>): void => {
    paces.push({ ...last(), at: elapsed, time: chainMs(), slot: slot() + 1, ...change })
  }

  return {
    get time () { return start.time + Math.floor(chainMs() / 1000) },
    get utc () { return start.time + Math.floor(elapsed / 1000) },
    get elapsed () { return elapsed },
    get slot () { return slot() },
    advance (ms: number): void {
      const end = elapsed + ms
      while (eras.length > 0 && (eras[0]!.until - start.time) * 1000 <= end) {
        elapsed = (eras.shift()!.until - start.time) * 1000
        goOn({ ms: eras[0]?.ms ?? SLOT_MS })
      }
      elapsed = end
    },
    slotAt: (ms: number): number => slotBy(paces.findLast(({ at }) => at <= ms) ?? paces[0]!, ms),
    timeOf: (wanted: number): number =>
      start.time + Math.floor(beginOf(paces.findLast(({ slot }) => slot <= wanted) ?? paces[0]!, wanted).time / 1000),
    get slotMs () { return last().ms },
    set slotMs (ms: number | null) {
      if (ms === null) paces.push({ ...last(), ...beginOf(last(), slot()), slot: slot(), ms })
      else goOn({ ms })
    },
    skip (slots: number): void { goOn({ slot: slot() + slots }) },
    get rate () { return last().rate },
    set rate (rate: number) { paces.push({ ...last(), ...beginOf(last(), slot()), slot: slot(), rate }) },
    correct (): void { goOn({ time: elapsed, rate: 1 }) }
  }
}
