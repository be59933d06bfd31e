import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { pageScripts } from '../lib/page/scripts.js'
import { readCommandLine, refuse } from './command-line.js'

/**
 * What is loaded by its name or started stays a file of its own under the name of its source; all else is joined into
 * few files beside them, most libraries included: compiling many modules is what a start consists of
 * (docs/performance.md).
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { values } = readCommandLine(
  'npm run build [-- --out .tap/NAME]: makes dist/; tests have a folder of their own',
  { out: { type: 'string', default: 'dist' } }
)
// what is there is removed
if (!/^(dist|\.tap\/[\w-]+)$/.test(values.out)) refuse(`--out ${values.out}: dist, or a folder in .tap`)
const OUT = join(ROOT, values.out)
/** Folders whose files the program finds by reading the folder. */
const FOUND_BY_NAME = ['plugins', 'routes']
const STARTED = ['server.ts', ...['backfill', 'export', 'migrate', 'rebuild-rollups'].map(name => `scripts/${name}.ts`)]
/** Libraries that read files of their own folder, hold native code, or are optional. */
const LEFT_ALONE = [
  '@expo-google-fonts/inter', '@fastify/swagger-ui', '@resvg/resvg-js', 'libsql', 'lightweight-charts', 'pg-native',
  'pino', 'pino-pretty'
]
/** Joined, CommonJS packages still ask for the platform's own modules. */
const REQUIRE =
  'import { createRequire as createRequireOf } from "node:module"; const require = createRequireOf(import.meta.url);'

/** The page's scripts as they are sent: the program needs no bundler. */
const ownScripts: Plugin = {
  name: 'own scripts',
  setup ({ onLoad }) {
    onLoad({ filter: /\/lib\/page\/scripts\.ts$/ }, () => ({
      contents: `const scripts = new Map(${JSON.stringify([...pageScripts()])})
        export const pageScripts = () => scripts`,
      loader: 'js'
    }))
  }
}

/**
 * Of Anchor's decoder the service needs the layouts alone, which make keys and integers of web3.js and bn.js only where
 * they decode them: half of the decoder's memory and start.
 */
const onlyLayouts: Plugin = {
  name: 'only layouts',
  setup ({ onLoad }) {
    onLoad({ filter: /\/node_modules\/(@solana\/web3|bn)\.js\/lib\// }, () => ({
      contents: 'export class PublicKey {} export default class BN {}'
    }))
  }
}

const inFolder = (name: string): string[] => readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.ts')).map(path => join(name, path))

// a file deleted from the source cannot live on in it
rmSync(OUT, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: [...STARTED, ...FOUND_BY_NAME.flatMap(inFolder)],
  outdir: OUT,
  outbase: ROOT,
  bundle: true,
  splitting: true,
  // beside server.js, so that what is in app.ts finds its folders
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  // `node --enable-source-maps` shows where in the source an error was thrown
  sourcemap: 'linked',
  sourcesContent: false,
  external: LEFT_ALONE,
  plugins: [ownScripts, onlyLayouts],
  banner: { js: REQUIRE },
  metafile: true,
  logLevel: 'warning'
})
const misplaced = Object.entries(metafile.outputs).filter(
  ([path, { inputs }]) => 'app.ts' in inputs && join(ROOT, dirname(path)) !== OUT
)
if (misplaced.length > 0) throw new Error(`app.ts ended up in ${misplaced[0]![0]}, where it does not find its folders`)
console.log(`${values.out}: ${Object.keys(metafile.outputs).filter(path => path.endsWith('.js')).length} files`)
