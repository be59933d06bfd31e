/**
 * `node:http` and nothing else, which sends the bytes that the service at the given address sends for the given paths.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [origin, ...paths] = process.argv.slice(2)
const bodies = new Map<string, Buffer>()
for (const path of paths) bodies.set(path, Buffer.from(await (await fetch(`${origin}${path}`)).arrayBuffer()))
const server = createServer((request, response) => {
  const body = bodies.get(request.url!)!
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
