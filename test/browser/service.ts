import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyReply } from 'fastify'
import type { Test } from 'tap'
import representation from '../../plugins/representation.js'
import market from '../../routes/market/index.js'
import { build, historyComplete, settings, startChain } from '../helper.js'
import { buildMarket } from '../ledger/index.js'
import { AGGREGATE, supplyOf, TICKERS } from './market-data.js'

/** The real page and its real headers, over an API whose answers a test decides. */

/** What an endpoint answers: a body, or with a status and headers. */
export interface Answer { status?: number, headers?: Record<string, string>, body: unknown }

export interface Service {
  url: string
  /** Answers from now on; each is asked for anew with every request. */
  answers: { tickers: () => Answer, volume: () => Answer, supply: (mint: string) => Answer }
  /** Paths asked for, in order. */
  asked: string[]
  close (): Promise<void>
}

export async function startService (): Promise<Service> {
  const fastify = Fastify({ forceCloseConnections: true })
  const asked: string[] = []
  const answers: Service['answers'] = {
    tickers: () => ({ body: TICKERS }),
    volume: () => ({ body: AGGREGATE }),
    supply: mint => ({ body: supplyOf(mint) })
  }
  fastify.addHook('onRequest', async request => { asked.push(request.url) })
  await fastify.register(representation)
  await fastify.register(market, { prefix: '/market' })
  const send = (reply: FastifyReply, { status = 200, headers = {}, body }: Answer): FastifyReply =>
    reply.code(status).headers({ 'cache-control': 'public, max-age=0', ...headers }).send(body)
  fastify.get('/api/tickers', (_request, reply) => send(reply, answers.tickers()))
  fastify.get('/api/volume/aggregate', (_request, reply) => send(reply, answers.volume()))
  fastify.get<{ Params: { mint: string } }>('/api/supply/:mint', ({ params }, reply) => send(reply, answers.supply(params.mint)))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  return {
    url: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/market`,
    answers,
    asked,
    close: () => fastify.close()
  }
}

/** The whole service, on a simulated chain with a market of its own; closed with the test. */
export async function startWholeService (t: Test): Promise<{ url: string, tickers: number }> {
  const { ledger, node } = await startChain(t)
  buildMarket(ledger, { daos: 10, swaps: 120, days: 40 })
  const app = await build(t, { env: settings(t, node, ledger), now: () => ledger.time * 1000, pollMs: 20 })
  await historyComplete(app)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { length } = (await app.inject('/api/tickers')).json<unknown[]>()
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/market`, tickers: length }
}

/** For the browser to run: texts on the page whose colour does not stand out from what is behind them by 4.5:1. */
export const CONTRAST = `(() => {
  const channels = text => text.match(/[\\d.]+/g).map(Number)
  const luminance = rgb => rgb.slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0)
  const behind = node => {
    for (; node !== null; node = node.parentElement) {
      const color = channels(getComputedStyle(node).backgroundColor)
      if (color.length === 3 || color[3] === 1) return color
    }
    return [255, 255, 255]
  }
  const faint = []
  const walker = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: node, textContent } = walker.currentNode
    const style = getComputedStyle(node)
    if (textContent.trim() === '' || node.closest('noscript, .unseen') !== null || !node.checkVisibility({ visibilityProperty: true })) continue
    const [a, b] = [luminance(channels(node.closest('svg') === null ? style.color : style.fill)), luminance(behind(node))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) faint.push(textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return faint
})()`
