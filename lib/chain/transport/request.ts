import { isRecord, type RequestFacts } from './answer.js'

// Every wrapper above may send a request twice, so only what changes nothing on the chain may pass.
const WRITES = new Set(['sendTransaction', 'requestAirdrop'])

/** What the wrappers need to know of a request; throws a TypeError for anything but JSON-RPC reads. */
export function readRequest (init: RequestInit | undefined): RequestFacts {
  const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
  const calls: unknown[] = Array.isArray(body) ? body : [body]
  const methods = calls.map(call => isRecord(call) ? call.method : undefined)
  const [method] = methods
  if (typeof method !== 'string' || methods.some(each => typeof each !== 'string' || WRITES.has(each))) {
    throw new TypeError('the transport takes JSON-RPC reads only')
  }
  return { batch: Array.isArray(body), ids: calls.map(call => isRecord(call) ? call.id : undefined), method }
}
