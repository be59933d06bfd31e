// What the checks of the built service share: processes with settings of their own alone, a folder for their data, and
// an end for all of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What is called with Node to run the built service, as the start script does. */
export const SERVICE = [
  ...JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.split(' ').filter(word => word.startsWith('--')),
  'dist/server.js'
]

/** A port that is free now, as a text: another service may run beside this one. */
export async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return String(port)
}

/**
 * Calls `check` with a folder for data and `start(args, env, stdio)`, which gives a child process. Whatever is left of
 * both afterwards is ended and removed.
 */
export async function withProcesses (check) {
  const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-check-'))
  const children = []
  try {
    await check({
      folder,
      start (args, env, stdio) {
        const child = spawn(
          process.execPath, args, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, stdio }
        )
        children.push(child)
        return child
      }
    })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}
