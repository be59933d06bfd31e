/** A node for tests: a real HTTP server whose behaviour is a function that the test may swap at any time. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Call {
  id: unknown
  method: string
  params: unknown[]
}

export type Behaviour = (body: Call | Call[], res: ServerResponse, req: IncomingMessage) => void

export interface TestNode {
  url: string
  host: string
  /** Every request body so far. */
  requests: Array<Call | Call[]>
  behave: Behaviour
}

interface Teardown { teardown: (done: () => unknown) => unknown }

export async function startNode (t: Teardown, behave: Behaviour): Promise<TestNode> {
  const node: TestNode = { url: '', host: '', requests: [], behave }
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8').on('data', (part: string) => { text += part }).on('end', () => {
      const body = JSON.parse(text) as Call | Call[]
      node.requests.push(body)
      node.behave(body, res, req)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  node.host = `127.0.0.1:${port}`
  node.url = `http://${node.host}/`
  t.teardown(() => new Promise(resolve => {
    server.close(resolve)
    server.closeAllConnections()
  }))
  return node
}

export function send (res: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  res.writeHead(
    status, { 'content-type': 'application/json', ...headers }
  ).end(typeof value === 'string' ? value : JSON.stringify(value))
}

export const success = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', result, id })
export const failure = (id: unknown, code: number, message = 'no') => ({ jsonrpc: '2.0', error: { code, message }, id })

/** Answers each call with what `resultOf` makes of it; an Error with a `code` becomes a JSON-RPC error. */
export const answering = (resultOf: (call: Call) => unknown): Behaviour => (body, res) => {
  const answer = (call: Call) => {
    const result = resultOf(call)
    return result instanceof RpcFault ? failure(call.id, result.code, result.message) : success(call.id, result)
  }
  send(res, Array.isArray(body) ? body.map(answer) : answer(body))
}

export class RpcFault extends Error {
  readonly code: number
  constructor (code: number, message = 'no') {
    super(message)
    this.code = code
  }
}
