/**
 * Ends with status 1 where an import, of types too, runs upward through the layers below, or where imports go in a
 * circle. The linter holds the walls between rooms that are side by side.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { readCommandLine } from './command-line.js'

readCommandLine('npm run imports: says whether an import runs upward, or in a circle', {})

/** Lowest first; a file belongs to the first that fits, and imports from its own and lower ones. */
const LAYERS: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['schemas', /^(schemas|idl)\//],
  ['lib', /^lib\/[^/]+\.ts$/],
  ['lib: chain, protocol, market, http, rate-limit', /^lib\/(chain|protocol|market|http|rate-limit)\//],
  ['lib/history/rules', /^lib\/history\/rules\//],
  ['lib/history/store', /^lib\/history\/store\//],
  ['lib/history: indexing, volumes', /^lib\/history\/(indexing|volumes)\//],
  ['lib/history', /^lib\/history\/[^/]+\.ts$/],
  ['lib/history/replicas', /^lib\/history\/replicas\//],
  ['lib/live', /^lib\/live\//],
  ['lib/responses', /^lib\/responses\//],
  ['lib/page', /^lib\/page\//],
  ['plugins, routes', /^(plugins|routes)\//],
  ['app', /^app\.ts$/],
  ['server', /^server\.ts$/]
]
/** What is beside its layer rather than in it, and why. */
const PLACED: Record<string, string> = {
  // the history of several processes is put together above them
  'lib/history/shared-history.ts': 'lib/history/replicas',
  // what the rooms of the history say to their caller
  'lib/history/log-events.ts': 'lib/history/rules',
  // what a history says of itself, whether it indexes or follows
  'lib/history/status.ts': 'lib/history: indexing, volumes',
  // the settings' formats are those of the protocol's keys
  'lib/settings.ts': 'lib: chain, protocol, market, http, rate-limit'
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = ['schemas', 'idl', 'lib', 'plugins', 'routes'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts')).map(name => `${folder}/${name}`))
  .concat('app.ts', 'server.ts')

const importsOf = (file: string): string[] => ts.preProcessFile(readFileSync(join(root, file), 'utf8')).importedFiles
  .filter(({ fileName }) => fileName.startsWith('.'))
  .map(({ fileName }) => relative(root, join(root, dirname(file), fileName)).replace(/\.js$/, '.ts'))
  .filter(target => target.endsWith('.ts'))
const graph = new Map(files.map(file => [file, importsOf(file)]))

const levelOf = (file: string): number => LAYERS.findIndex(
  ([name, pattern]) => PLACED[file] === undefined ? pattern.test(file) : name === PLACED[file]
)

const problems: string[] = []
for (const [file, targets] of graph) {
  if (levelOf(file) === -1) problems.push(`${file} belongs to no layer`)
  for (const target of targets) if (levelOf(target) > levelOf(file)) problems.push(`upward: ${file} imports ${target}`)
}

const done = new Set<string>()
function follow (file: string, way: string[]): void {
  if (way.includes(file)) problems.push(`a circle: ${[...way.slice(way.indexOf(file)), file].join(' → ')}`)
  if (way.includes(file) || done.has(file)) return
  for (const target of graph.get(file) ?? []) follow(target, [...way, file])
  done.add(file)
}
for (const file of files) follow(file, [])

for (const problem of problems) process.stderr.write(`${problem}\n`)
const found = problems.length === 0 ? 'no circle, none upward' : `${problems.length} problems`
process.stdout.write(`${files.length} files, ${[...graph.values()].flat().length} imports: ${found}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
