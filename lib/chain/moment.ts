/**
 * UTC, the age of a state of the chain, and whether the chain has halted. Pure. Clocks are kept as offsets from the
 * steady clock, so that they hold between answers.
 */

/** A slot, and the chain's own time at it, Unix seconds. */
export interface Moment {
  slot: number
  time: number
  /** The time is estimated from the slot. */
  bySlot?: boolean
  /** The slot of a list that is newer than the Clock beside it, as from another backend. */
  listSlot?: number | undefined
}

export type Commitment = 'confirmed' | 'finalized'
export type Health = 'ok' | 'behind' | 'unknown'

/** What one node has shown. Times without a unit in their name are of the steady clock, ms. */
export interface NodeFacts {
  host: string
  /** Its last moment at `confirmed`, when it came, and when its slot last rose. */
  shown?: Moment & { at: number, movedAt: number | undefined }
  /** Its `Date` header less the steady clock, ms. */
  date?: { offset: number, at: number }
  /** What getHealth says, and since when without a gap. */
  health?: { says: Health, at: number, since: number }
  /** The moment from which the pace is measured; the seconds that a slot takes, never too few. */
  mark?: Moment
  pace?: number
}

export type Facts = ReturnType<typeof noFacts>

export interface Utc {
  /** UTC less the steady clock, ms. */
  offset: number
  /** Alone: every witness says another time. */
  clock: 'believed' | 'alone' | 'refuted'
  /** The offset without the chain's word. */
  besideChain: number
}

/** How old a state may be when it is read and be current, ms: finality takes 7 to 13 s. */
export const CURRENT_MS: Record<Commitment, number> = { confirmed: 15_000, finalized: 45_000 }
// A moment further ahead of UTC is a lie.
const FUTURE_MS = 30_000
// Witnesses of UTC that differ by less agree.
const AGREEING_MS = 60_000
// By how much two nodes at the same place may differ, as one is asked after the other.
const SAME_SLOTS = 10
const SAME_MS = 3_000
const MINUTE = 60_000
// How long a drift must last, or one node call itself healthy; how long a Date counts.
const DRIFT_MINUTES = 10
// Mainnet's clock was 30 minutes behind on 2022-05-26.
const MAX_DRIFT_MS = 60 * MINUTE
// Seconds that a slot takes at most: a time estimated by it is too old, never too young.
const SLOWEST_PACE = 1
// A pace is measured over so many seconds at least; the chain's clock shows whole ones.
const PACE_SECONDS = 10

const offsetOf = ({ time, at }: { time: number, at: number }) => time * 1000 - at

export const noFacts = (hosts: readonly string[], clock: number) => ({
  /** The wall clock less the steady clock, ms, as of the last answer. */
  clock,
  nodes: hosts.map((host): NodeFacts => ({ host })),
  /** The freshest time that any node has shown, less the steady clock, ms, by minute; and its youngest moment. */
  freshest: new Map<number, number>(),
  newest: undefined as Moment | undefined,
  utc: { offset: clock, clock: 'believed', besideChain: clock } as Utc,
  /** By how much the chain's clock is believed to be behind UTC though its state is current, ms. */
  drift: 0,
  /** The drift before the chain's clock last jumped, and the newest time that had been shown by then, Unix seconds. */
  jumped: undefined as { drift: number, from: number } | undefined
})

const freshestOf = ({ freshest }: Facts) => Math.max(...freshest.values())

/**
 * UTC is the latest of what most witnesses say within a minute, or of all where none agree, so that an error makes a
 * state look older. Witnesses are the wall clock, to whose side a tie goes, the `Date` of each host, and the chain
 * (-Infinity: it has shown nothing), of which only the vote counts, as its drift is told by UTC. UTC is never before
 * the freshest time that has been taken.
 */
function utcOf (facts: Facts, now: number, chain: number): Utc {
  const dates = new Map<string, number>()
  for (const { host, date } of facts.nodes) {
    if (date === undefined || now - date.at >= DRIFT_MINUTES * MINUTE) continue
    dates.set(host, Math.max(date.offset, dates.get(host) ?? -Infinity))
  }
  const others = [facts.clock, ...dates.values()]
  const witnesses = chain === -Infinity ? others : [...others, chain]
  const groups = witnesses.map(latest => {
    const agrees = (offset: number) => offset <= latest && latest - offset <= AGREEING_MS
    return { latest, beside: others.filter(agrees), size: witnesses.filter(agrees).length, clock: agrees(facts.clock) }
  })
  const [best] = groups.sort((a, b) => b.size - a.size || Number(b.clock) - Number(a.clock) || b.latest - a.latest)
  const { beside, size, clock } = best!
  const isAlone = size === 1 && witnesses.length > 1
  const besideChain = Math.max(...isAlone ? others : beside)
  return {
    offset: Math.max(besideChain, freshestOf(facts)),
    besideChain,
    clock: isAlone ? 'alone' : clock ? 'believed' : 'refuted'
  }
}

/** Age of a state of the chain's time, ms, never below 0. A jump of that clock ages nothing shown before. */
export function ageOf (facts: Facts, now: number, time: number): number {
  const { utc, jumped } = facts
  const { drift } = jumped !== undefined && time <= jumped.from ? jumped : facts
  return Math.max(0, now + utc.offset - drift - time * 1000)
}

const goesOn = ({ shown }: NodeFacts, now: number) =>
  shown?.movedAt !== undefined && now - shown.at < MINUTE && now - shown.movedAt < MINUTE

const says = ({ health }: NodeFacts, now: number) =>
  health === undefined || now - health.at > MINUTE ? undefined : health.says

/**
 * The least lag of the last ten minutes, ms, where the chain's clock lags and not the nodes, else 0: two hosts agree,
 * both go on, neither says that it is behind; or one has called itself healthy for all that time, and the lag is more
 * than a current state may have.
 */
function driftOf (facts: Facts, now: number): number {
  const least = facts.utc.offset - freshestOf(facts)
  if (!(least > 0 && least <= MAX_DRIFT_MS)) return 0
  const sound = facts.nodes.filter(node => goesOn(node, now) && !['behind', undefined].includes(says(node, now)))
  const isBelieved = sound.some(({ host, shown, health }) =>
    (least > CURRENT_MS.confirmed && health!.says === 'ok' &&
      health!.at - health!.since >= DRIFT_MINUTES * MINUTE - 1) ||
    sound.some(other => other.host !== host && Math.abs(offsetOf(shown!) - offsetOf(other.shown!)) <= SAME_MS))
  return isBelieved ? least : 0
}

/** The last moment of a chain that has halted: it is old, and two hosts or more, asked lately, agree on it. */
export function haltedAt (facts: Facts, now: number): Moment | undefined {
  const isRecent = (at: number | undefined) => at !== undefined && now - at <= CURRENT_MS.confirmed
  const asked = facts.nodes.flatMap(({ host, shown }) =>
    shown !== undefined && isRecent(shown.at) ? [{ host, ...shown }] : [])
  const [best] = asked.toSorted((a, b) => b.time - a.time)
  if (best === undefined || ageOf(facts, now, best.time) <= CURRENT_MS.confirmed) return undefined
  const agreeing = asked.filter(({ slot }) => Math.abs(slot - best.slot) <= SAME_SLOTS)
  if (agreeing.some(({ movedAt }) => isRecent(movedAt))) return undefined
  return agreeing.some(({ host }) => host !== best.host) ? { slot: best.slot, time: best.time } : undefined
}

function conclude (facts: Facts, now: number): void {
  facts.utc = utcOf(facts, now, freshestOf(facts) + facts.drift)
  facts.drift = driftOf(facts, now)
}

/** An answer of a node came, with the wall clock and, where it had one, its `Date`, both Unix ms. */
export function withDate (facts: Facts, index: number, date: number | undefined, now: number, epoch: number): void {
  facts.clock = epoch - now
  if (date !== undefined) facts.nodes[index]!.date = { offset: date - now, at: now }
  conclude(facts, now)
}

export function withHealth (facts: Facts, index: number, said: Health, now: number): void {
  const node = facts.nodes[index]!
  node.health = { says: said, at: now, since: says(node, now) === said ? node.health!.since : now }
  conclude(facts, now)
}

function measurePace (node: NodeFacts, moment: Moment): void {
  const from = node.mark ??= moment
  const [slots, seconds] = [moment.slot - from.slot, moment.time - from.time]
  if (slots >= 0 && seconds < PACE_SECONDS) return
  if (slots > 0) node.pace = Math.min(SLOWEST_PACE, (seconds + 1) / slots)
  node.mark = moment
}

/** Whether the chain's clock has advanced since the newest moment by more than its slots can take. */
function isJump ({ newest }: Facts, { slot, time }: Moment): boolean {
  if (newest === undefined) return false
  const slots = Math.max(0, slot - newest.slot)
  return (time - newest.time - slots * SLOWEST_PACE) * 1000 > CURRENT_MS.confirmed
}

/** Takes a moment that a node has shown; false: not taken, it is in the future by the other witnesses. */
export function withMoment (
  facts: Facts, index: number, { at, ...moment }: Moment & { at: number }, commitment: Commitment = 'confirmed'
): boolean {
  const node = facts.nodes[index]!
  const { shown } = node
  const { slot, time } = moment
  const offset = offsetOf({ time, at })
  const jumps = isJump(facts, moment)
  const chain = Math.max(freshestOf(facts), offset) + (jumps ? 0 : facts.drift)
  if (offset > utcOf(facts, at, chain).besideChain + FUTURE_MS) return false
  if (commitment === 'confirmed') {
    if (moment.bySlot !== true) measurePace(node, moment)
    node.shown = { ...moment, at, movedAt: shown !== undefined && slot > shown.slot ? at : shown?.movedAt }
  }
  if (jumps) {
    facts.jumped = { drift: facts.drift, from: facts.newest!.time }
    facts.drift = 0
  }
  if (time > (facts.newest?.time ?? -Infinity)) facts.newest = moment
  const minute = Math.floor(at / MINUTE)
  facts.freshest.set(minute, Math.max(offset, facts.freshest.get(minute) ?? -Infinity))
  for (const old of facts.freshest.keys()) if (minute - old > DRIFT_MINUTES) facts.freshest.delete(old)
  conclude(facts, at)
  return true
}

/** Of a list and the Clock that was read beside it: the older of the two, at the node's own pace between. */
export function momentOfList (slot: number, clock: Moment, { pace = SLOWEST_PACE }: Pick<NodeFacts, 'pace'>): Moment {
  const before = Math.max(0, clock.slot - slot)
  const time = Math.max(0, Math.floor(clock.time - before * pace))
  return {
    slot: Math.min(slot, clock.slot),
    time,
    ...(before > 0 && { bySlot: true }),
    ...(slot > clock.slot && { listSlot: slot })
  }
}
