import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { builtFile } from './built.js'
import { compiledFile, ROOT } from './compiled.js'
import { steadyNow } from './steady-time.js'

/** A TypeScript file of this repository in a process of its own. */
export interface ScriptProcess {
  child: ChildProcessByStdio<null, Readable, Readable>
  /** All that it has written so far, to stdout and stderr, and to each. */
  output (): string
  stdout (): string
  stderr (): string
  isAlive (): boolean
  /** How it ended, once it has and all its output is read; `at`: steady time. */
  ended: Promise<{ code: number | null, signal: NodeJS.Signals | null, at: number }>
}

export interface ScriptOptions {
  args?: readonly string[]
  /** Its whole environment besides PATH; nothing of the test's own settings reaches it. */
  env?: Readonly<Record<string, string | undefined>>
  cwd?: string
}

export { ROOT }

/** What package.json starts from the build. */
const BUILT = ['backfill', 'export', 'migrate', 'rebuild-rollups'].map(name => `scripts/${name}.ts`)

/**
 * Starts `script`, a path from the repository's folder: from a build of the current sources if users do so too, else
 * from a compiled copy. The caller ends it.
 */
export function startScript (script: string, options: ScriptOptions = {}): ScriptProcess {
  return script.endsWith('.ts')
    ? start(['--enable-source-maps', BUILT.includes(script) ? builtFile(script) : compiledFile(script)], options)
    : start(['--import', import.meta.resolve('tsx'), join(ROOT, script)], {
      ...options,
      env: { FASTIFY_AUTOLOAD_TYPESCRIPT: '1', TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json'), ...options.env }
    })
}

function start (nodeArgs: readonly string[], { args = [], env = {}, cwd = ROOT }: ScriptOptions): ScriptProcess {
  // `env` sets the options of Node last: tap would have every process that a test starts load its own hooks, at half a
  // second each
  const child = spawn('env', [`NODE_OPTIONS=${env.NODE_OPTIONS ?? ''}`, process.execPath, ...nodeArgs, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      // where the run measures coverage, this process counts too
      NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
      ...env
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let [all, out, errors, alive] = ['', '', '', true]
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { all += chunk; out += chunk })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { all += chunk; errors += chunk })
  const ended: ScriptProcess['ended'] = new Promise(resolve => {
    child.once('close', (code, signal) => {
      alive = false
      resolve({ code, signal, at: steadyNow() })
    })
  })
  return { child, output: () => all, stdout: () => out, stderr: () => errors, isAlive: () => alive, ended }
}

/** Runs `script` to its end. */
export async function runScript (script: string, args: readonly string[] = []): Promise<{
  code: number | null
  stdout: string
  stderr: string
}> {
  const { ended, stdout, stderr } = startScript(script, { args })
  const { code } = await ended
  return { code, stdout: stdout(), stderr: stderr() }
}

const LISTENING = /Server listening at (http:\/\/[^"]+)/

/**
 * Starts the built service with nothing but `env`, in a folder that should have no settings of its own. `url`: where it
 * listens, once it does.
 */
export function startService (
  env: Readonly<Record<string, string>>, cwd: string
): ScriptProcess & { url (): string | undefined } {
  const service = start(['--enable-source-maps', builtFile('server.ts')], {
    cwd,
    env: { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(cwd, 'data'), ...env }
  })
  return { ...service, url: () => LISTENING.exec(service.output())?.[1] }
}
