/**
 * Time and chance of the whole process, replaced: what reads a clock, sleeps or rolls a die gets the simulated one,
 * wherever it stands, dependencies too. Time moves only when `advance` is called, from one timer to the next. Nothing
 * is compressed, which would come back from another thread at a moment of its own: nobody here asks for it. Load and
 * memory of the machine are no part of a world.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const require = createRequire(import.meta.url)
const timers = require('node:timers')
const timersPromises = require('node:timers/promises')
const zlib = require('node:zlib')
const perfHooks = require('node:perf_hooks')
const os = require('node:os')

interface Timer { at: number, order: number, action: () => void, every: number | undefined, cancelled: boolean }

export interface SimulatedTime {
  /** Milliseconds since the beginning; never goes back. */
  now (): number
  /** The wall clock: Unix ms. `step` moves it without time passing. */
  epoch (): number
  step (ms: number): void
  /** Lets time pass, running what falls due in order. */
  advance (ms: number): Promise<void>
  /** Lets time pass until a promise settles, `most` ms at most; throws where it has not. */
  until<T> (promise: Promise<T>, most: number): Promise<T>
  /** Timers that wait. */
  waiting (): number
  /** Called whenever time has moved. */
  onMove: (now: number) => void
  /** Another world: no timer is left, time begins anew. */
  reset (world: { epoch: number, random: () => number }): void
}

/** The platform's own, for progress bars. */
export const realNow = performance.now.bind(performance)
const realTimeout = globalThis.setTimeout
export const realSleep = async (ms: number): Promise<void> => {
  await new Promise(resolve => { realTimeout(resolve, ms) })
  turned()
}

const realImmediate = globalThis.setImmediate
/** Rounds of the event loop after which nothing that was begun is still on its way. */
const ROUNDS = 3

let turned = (): void => {}
/** Called whenever the event loop has turned, in real time. */
export function onTurn (action: () => void): void { turned = action }

async function settle (): Promise<void> {
  turned()
  for (let round = 0; round < ROUNDS; round++) await new Promise(resolve => realImmediate(resolve))
}

/** Timers in order of their time, then of their making. */
function createQueue () {
  const heap: Timer[] = []
  const before = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)
  const swap = (a: number, b: number) => { [heap[a], heap[b]] = [heap[b]!, heap[a]!] }
  return {
    get size () { return heap.length },
    peek: () => heap[0],
    push (timer: Timer): void {
      heap.push(timer)
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1
        if (!before(heap[at]!, heap[parent]!)) break
        swap(at, parent)
        at = parent
      }
    },
    pop (): Timer | undefined {
      const first = heap[0]
      const last = heap.pop()
      if (first === undefined || last === undefined || heap.length === 0) return first
      heap[0] = last
      for (let at = 0; ;) {
        let least = at
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < heap.length && before(heap[child]!, heap[least]!)) least = child
        }
        if (least === at) return first
        swap(at, least)
        at = least
      }
    }
  }
}

/** To be called before anything that is to run in simulated time is imported, once. */
export function installSimulatedTime (): SimulatedTime {
  let queue = createQueue()
  let now = 0
  let offset = 0
  let roll = Math.random
  let order = 0
  let live = 0

  function schedule (action: () => void, ms: number, every?: number): Timer {
    const timer = {
      at: now + Math.max(1, Number.isFinite(ms) ? ms : 1), order: order++, action, every, cancelled: false
    }
    queue.push(timer)
    live++
    return timer
  }
  function cancel (timer: Timer | undefined): void {
    if (timer === undefined || timer.cancelled) return
    timer.cancelled = true
    live--
  }
  /** A class: an object of functions for each timer took a twentieth of all time. */
  class Handle {
    timer: Timer
    readonly #make: () => Timer
    constructor (make: () => Timer) {
      this.#make = make
      this.timer = make()
    }

    ref (): this { return this }
    unref (): this { return this }
    hasRef (): boolean { return true }
    refresh (): this {
      cancel(this.timer)
      this.timer = this.#make()
      return this
    }

    close (): this {
      cancel(this.timer)
      return this
    }

    [Symbol.toPrimitive] (): number { return this.timer.order }
    [Symbol.dispose] (): void { cancel(this.timer) }
  }
  const fakeTimeout = (
    action: (...args: unknown[]) => void, ms = 1, ...args: unknown[]
  ) => new Handle(() => schedule(() => action(...args), ms))
  const fakeInterval = (
    action: (...args: unknown[]) => void, ms = 1, ...args: unknown[]
  ) => new Handle(() => schedule(() => action(...args), ms, Math.max(1, ms)))
  const fakeClear = (handle: unknown) => { if (handle instanceof Handle) cancel(handle.timer) }
  const fakeSleep = (
    ms = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}
  ) => new Promise((resolve, reject) => {
    const aborted = () => new DOMException(
      'The operation was aborted', { name: 'AbortError', cause: signal?.reason } as never
    )
    if (signal?.aborted === true) return reject(aborted())
    const timer = schedule(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    }, ms)
    function abort (): void {
      cancel(timer)
      reject(aborted())
    }
    signal?.addEventListener('abort', abort, { once: true })
  })

  const RealDate = globalThis.Date
  class SimulatedDate extends RealDate {
    constructor (...args: unknown[]) {
      if (args.length === 0) super(offset + now)
      else super(...args as [number])
    }

    static override now (): number { return Math.floor(offset + now) }
  }
  const unpacked = (data: Buffer, ...rest: unknown[]) => {
    const done = rest.pop() as (error: Error | null, result?: Buffer) => void
    process.nextTick(() => done(null, data))
  }
  const load = {
    enable: () => true,
    disable: () => true,
    reset: () => {},
    percentile: () => 0,
    min: 0,
    max: 0,
    mean: 0,
    stddev: 0,
    exceeds: 0,
    count: 1,
    percentiles: new Map()
  }

  const replace = (target: object, name: string, value: unknown) => Object.defineProperty(
    target, name, { value, writable: true, configurable: true, enumerable: true }
  )
  for (const target of [globalThis, timers]) {
    replace(target, 'setTimeout', fakeTimeout)
    replace(target, 'setInterval', fakeInterval)
    replace(target, 'clearTimeout', fakeClear)
    replace(target, 'clearInterval', fakeClear)
  }
  replace(timersPromises, 'setTimeout', fakeSleep)
  replace(globalThis, 'Date', SimulatedDate)
  replace(globalThis.performance, 'now', () => now)
  replace(Math, 'random', () => roll())
  for (const name of ['gzip', 'brotliCompress']) replace(zlib, name, unpacked)
  replace(perfHooks, 'monitorEventLoopDelay', () => load)
  // each registry of metrics watches garbage collections with one of its own, which nobody can end
  replace(perfHooks, 'PerformanceObserver', class { observe (): void {} })
  replace(os, 'uptime', () => now / 1000)
  const used = process.memoryUsage()
  replace(process, 'memoryUsage', Object.assign(() => used, { rss: () => used.rss }))
  syncBuiltinESMExports()

  async function runTo (target: number): Promise<boolean> {
    let next = queue.peek()
    while (next !== undefined && next.cancelled) {
      queue.pop()
      next = queue.peek()
    }
    if (next === undefined || next.at > target) return false
    queue.pop()
    if (next.at > now) {
      now = next.at
      time.onMove(now)
    }
    if (next.every === undefined) {
      next.cancelled = true
      live--
    } else {
      next.at = now + next.every
      next.order = order++
      queue.push(next)
    }
    next.action()
    await settle()
    return true
  }

  const time: SimulatedTime = {
    now: () => now,
    epoch: () => Math.floor(offset + now),
    step (ms) { offset += ms },
    waiting: () => live,
    onMove: () => {},
    async advance (ms) {
      const target = now + ms
      await settle()
      while (await runTo(target));
      if (target > now) {
        now = target
        time.onMove(now)
      }
    },
    async until (promise, most) {
      const state = { isOver: false }
      const note = () => { state.isOver = true }
      promise.then(note, note)
      const end = now + most
      await settle()
      while (!state.isOver && await runTo(end));
      if (!state.isOver) throw new Error(`not there within ${most} ms`)
      return await promise
    },
    reset ({ epoch, random }) {
      queue = createQueue()
      live = now = 0
      offset = epoch
      roll = random
      time.onMove = () => {}
    }
  }
  return time
}
