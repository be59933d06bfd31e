/**
 * The slots that nodes show, and when each was first seen to move: which node stands still or lags, whether the chain itself has
 * halted, and which slots can't be. Every mark expires.
 */
import type { Clock } from '../clock.js'
import { nodeError } from './node-errors.js'
import { type Call, isRecord, type Reply, type Send } from './rpc.js'

/** How long a node's slot may stay the same before the node counts as standing still, ms. */
export const STANDING_MS = 10_000
// How long what one node said holds against the others.
const MARK_MS = 60_000
// How long it holds against itself: a node that has not come near its own slot for so long was wrong before, or has been reset.
// Under the 10 s within which the service must recover from a node that was wrong once.
const OWN_MARK_MS = 5_000
// How far behind the furthest node one may be: before others are asked first, and before it is refused. A finalized slot is behind anyway.
const PASSED_LAG_MS = 10_000
const MAX_LAG_MS = 60_000
const FINALITY_MS = 20_000
// How far ahead of what is known a slot may be.
const MAX_AHEAD_MS = 3_600_000
// Slots differ in length between clusters and releases: measured where they can be, this until then, and bounds of what is believed.
const FIRST_SLOT_MS = 400
const MIN_SLOT_MS = 100
const MAX_SLOT_MS = 1_000
// Shorter spans measure the node's answers rather than the chain.
const MEASURE_MS = 20_000
// A node that has moved for so long without a leap proves how far the chain is; nobody being as far for so long, it was a reset.
const PROOF_MS = 20_000
const PROVED_MS = 600_000
// So often nobody is wrong in the same way: shown again and again, a slot that goes on proves as much where lower ones are shown between.
const PROOF_TIMES = 4
// By how much a chain may be faster than what was measured of it.
const PACE = 1.1
// Nodes ask and answer at different moments: so close is the same slot.
const SAME_MS = 2_000

export interface NodeSlot {
  slot: number
  /** Moments of the clock: when it was first seen, and last. */
  movedAt: number
  seenAt: number
}

export type Worth = 'good' | 'behind' | 'impossible'

export interface SlotWatch {
  /** Takes note of a slot shown by the node at `index`, and says what it is worth. */
  see (index: number, slot: number): Worth
  /** What a finalized slot is worth; it is not held as a mark. */
  judge (slot: number): Worth
  /** For how long at least the chain has been past a slot, by what the nodes have shown, ms; 0 where none is further. */
  pastMs (slot: number): number
  /** The newest slot of a node; undefined: none seen. */
  of (index: number): NodeSlot | undefined
  /** Whether another node should be asked first: this one stands still or lags while another moves. */
  passedOver (index: number): boolean
  /** Milliseconds by which a slot is behind the furthest, as far as that is known. */
  behindMs (slot: number): number | undefined
  /** Where no node moves: since when the furthest slot has been shown (a moment of the clock). undefined: one moves, or none has been seen for long enough. `halted`: two nodes or more agree on the slot. */
  standing (): { since: number, halted: boolean } | undefined
}

export function createSlotWatch (clock: Clock): SlotWatch {
  const marks = new Map<number, NodeSlot>()
  /** Where each node began to move without a leap, and the furthest slot that was reached so: unlike marks it holds for long. */
  const strides = new Map<number, { slot: number, at: number }>()
  /** The same where lower slots are shown between, as behind one address where some nodes lag: the furthest slot, when and how often it went on, and since when. */
  const lines = new Map<number, { slot: number, at: number, times: number, since: number }>()
  let proved: { slot: number, at: number } | undefined
  let slotMs = FIRST_SLOT_MS
  let measured: { slot: number, at: number } | undefined
  let measuredFrom = -Infinity

  const valid = (): Array<[number, NodeSlot]> => [...marks].filter(([, { seenAt }]) => clock.now() - seenAt <= MARK_MS)
  /** Of the valid marks; asked for several times by every answer. */
  function furthest (): NodeSlot | undefined {
    const now = clock.now()
    let best: NodeSlot | undefined
    for (const mark of marks.values()) if (now - mark.seenAt <= MARK_MS && (best === undefined || mark.slot > best.slot)) best = mark
    return best
  }
  const stands = ({ movedAt, seenAt }: NodeSlot): boolean => seenAt - movedAt >= STANDING_MS
  const behind = (slot: number, best: NodeSlot): number => Math.max(0, (best.slot - slot) * slotMs)

  /** The length of slots, from how the furthest mark moves. */
  function measure (slot: number, now: number): void {
    if (now < measuredFrom) return
    if (measured === undefined || slot < measured.slot) measured = { slot, at: now }
    const [slots, ms] = [slot - measured.slot, now - measured.at]
    if (ms < MEASURE_MS || slots === 0) return
    slotMs = Math.min(MAX_SLOT_MS, Math.max(MIN_SLOT_MS, ms / slots))
    if (ms > MARK_MS) measured = { slot, at: now }
  }

  /** More than an hour ahead of what the clock and the nodes allow. */
  function impossible (slot: number, now: number): boolean {
    const best = furthest()
    return best !== undefined && (slot - best.slot) * slotMs > now - best.seenAt + MAX_AHEAD_MS
  }

  /** Whether a slot is far behind where the chain has come to since another was shown: it tells nothing of how far the chain is. */
  const lags = (slot: number, from: { slot: number, at: number }, now: number): boolean => now - from.at - (slot - from.slot) * slotMs > PASSED_LAG_MS

  /** Whether a slot follows the proved one without a leap, and without a lag, whatever lower ones were shown between: behind one address there may be nodes that lag. */
  function goesOn (slot: number, now: number): boolean {
    if (proved === undefined) return false
    const [ms, slots] = [now - proved.at, slot - proved.slot]
    // after an outage, in which nothing was shown, only as far as the chain goes at the pace that it had
    const leaps = slots * (ms <= MARK_MS ? MIN_SLOT_MS : slotMs / PACE) > ms + SAME_MS
    return !leaps && !lags(slot, proved, now)
  }

  /** Whether the furthest slots of a node, lower ones between them passed over, have gone on without a leap for long enough, this one among them. */
  function isOnLine (index: number, slot: number, now: number): boolean {
    const line = lines.get(index)
    const isKept = line !== undefined && now - line.at <= MARK_MS
    if (isKept && (slot <= line.slot || lags(slot, line, now)) && (line.slot - slot) * slotMs <= MAX_AHEAD_MS) return false
    const follows = isKept && slot > line.slot && (slot - line.slot) * MIN_SLOT_MS <= now - line.at + SAME_MS
    const next = follows ? { slot, at: now, times: line.times + 1, since: line.since } : { slot, at: now, times: 0, since: now }
    lines.set(index, next)
    return next.times >= PROOF_TIMES && now - next.since >= PROOF_MS
  }

  function prove (index: number, own: NodeSlot | undefined, slot: number, now: number): void {
    const breaks = own === undefined || lags(slot, { slot: own.slot, at: own.movedAt }, now) || (slot - own.slot) * MIN_SLOT_MS > now - own.movedAt + SAME_MS
    if (breaks) strides.set(index, { slot, at: now })
    if (proved !== undefined && now - proved.at > PROVED_MS) proved = undefined
    const isStride = now - strides.get(index)!.at >= PROOF_MS && slot > strides.get(index)!.slot
    const isLine = isOnLine(index, slot, now)
    if (slot > (proved?.slot ?? -1) && (isStride || isLine || goesOn(slot, now))) proved = { slot, at: now }
  }

  function mark (index: number, slot: number, now: number): void {
    const own = marks.get(index)
    prove(index, own, slot, now)
    if (own === undefined || slot > own.slot) marks.set(index, { slot, movedAt: now, seenAt: now })
    else if (slot === own.slot) own.seenAt = now
    else if (now - own.seenAt > OWN_MARK_MS || (own.slot - slot) * slotMs > MAX_AHEAD_MS) {
      const before = furthest()
      marks.set(index, { slot, movedAt: now, seenAt: now })
      // What rises again after that is another node behind the same address, not the chain
      if (before !== undefined && behind(furthest()!.slot, before) > SAME_MS) [measured, measuredFrom] = [undefined, now + MARK_MS]
    }
  }

  return {
    see (index, slot) {
      const now = clock.now()
      if (impossible(slot, now)) return 'impossible'
      // the first one after an outage may be a method's that lags: what is measured begins anew with it
      if (furthest() === undefined) measured = undefined
      mark(index, slot, now)
      const best = furthest()!
      if (behind(slot, best) > MAX_AHEAD_MS && !stands(marks.get(index)!) && marks.get(index)!.slot === slot) {
        // Of two that are more than an hour apart the higher one was never to be had, unless the lower one stands still.
        for (const [other, { slot: higher }] of marks) if (behind(slot, { ...best, slot: higher }) > MAX_AHEAD_MS) marks.delete(other)
        return 'good'
      }
      if (slot === best.slot) measure(slot, now)
      return behind(slot, best) > MAX_LAG_MS ? 'behind' : 'good'
    },
    judge (slot) {
      if (impossible(slot, clock.now())) return 'impossible'
      const best = furthest()
      return best !== undefined && behind(slot, best) > MAX_LAG_MS + FINALITY_MS ? 'behind' : 'good'
    },
    pastMs (slot) {
      const best = furthest()
      const past = (from: number, at: number): number => slot >= from ? 0 : (from - slot) * slotMs + clock.now() - at
      return Math.max(best === undefined ? 0 : past(best.slot, best.movedAt), proved === undefined ? 0 : past(proved.slot, proved.at))
    },
    of: index => marks.get(index),
    passedOver (index) {
      const own = marks.get(index)
      if (own === undefined) return false
      const others = valid().filter(([other, mark]) => other !== index && !stands(mark))
      return others.some(([, mark]) => stands(own) ? mark.slot > own.slot : behind(own.slot, mark) - Math.max(0, mark.seenAt - own.seenAt) > PASSED_LAG_MS)
    },
    behindMs (slot) {
      const best = furthest()
      return best && behind(slot, best)
    },
    standing () {
      const known = valid().map(([, mark]) => mark)
      const best = furthest()
      if (best === undefined) return undefined
      // a node that is seen anew and shows no more than those that stand has not moved on
      const furthestOnes = known.filter(({ slot }) => slot === best.slot)
      const isStill = furthestOnes.some(stands)
      if (!known.every(mark => stands(mark) || (isStill && mark.slot === best.slot))) return undefined
      const agreeing = known.filter(({ slot }) => behind(slot, best) <= SAME_MS)
      return { since: Math.min(...furthestOnes.map(({ movedAt }) => movedAt)), halted: agreeing.length > 1 }
    }
  }
}

export interface SlotOptions {
  host: string
  index: number
  watch: SlotWatch
}

/** Refuses results whose slot is behind what other nodes have shown lately, or can't be. */
export function withSlotWatch (send: Send, { host, index, watch }: SlotOptions): Send {
  function hold (reply: Reply, { method, params }: Call): Reply {
    const isSlot = method === 'getSlot'
    const slot = 'error' in reply ? undefined : isSlot ? slotOf(reply.result) : contextSlot(reply.result)
    if (slot === undefined) return reply
    // Asked for by itself, only one of the commitment at which accounts are read says how far the node is
    const isMark = !isSlot || (isRecord(params[0]) && params[0].commitment === 'confirmed')
    const behind = (): string => `${Math.round((watch.behindMs(slot) ?? 0) / 1000)} s`
    switch (isMark ? watch.see(index, slot) : watch.judge(slot)) {
      case 'good': return reply
      case 'behind': return {
        // Where finality alone stands, its accounts are as good as before
        error: isMark
          ? nodeError('NODE_UNAVAILABLE', `is behind the other nodes by ${behind()}`, { host, reason: 'behind' })
          : nodeError('NODE_UNAVAILABLE', `has a finalized slot that is behind by ${behind()}`, { host, reason: 'finality' })
      }
      case 'impossible': return { error: nodeError('NODE_BAD_ANSWER', 'gave a slot that can\'t be', { host, reason: 'slot' }) }
    }
  }
  return async (calls, options) => (await send(calls, options)).map((reply, at) => hold(reply, calls[at]!))
}

const slotOf = (value: unknown): number | undefined => typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

/** The slot that a result states as its context; what else it must hold is for its reader to say. */
function contextSlot (result: unknown): number | undefined {
  const context = isRecord(result) ? result.context : undefined
  return slotOf(isRecord(context) ? context.slot : undefined)
}
