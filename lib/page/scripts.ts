import { basename, join } from 'node:path'
import { buildSync } from 'esbuild'
import { once } from '../once.js'
import { publicFolder } from '../package.js'

/** What pages begin with: modules with all that they import, and the style sheet. */
const ENTRIES = ['list.js', 'pool.js', 'decisions.js', 'status.js', 'theme.js', 'market.css']

/**
 * Their texts by file name, each as one small file, so that a visit costs one request for it. `npm run build` puts what
 * this gives into its place: only sources that run as they are need the bundler.
 */
export const pageScripts = once((): ReadonlyMap<string, string> => {
  const folder = publicFolder('market')
  const { outputFiles } = buildSync({
    entryPoints: ENTRIES.map(name => join(folder, name)),
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    target: 'esnext',
    // loaded by the page itself, once there is something to draw
    external: ['./lightweight-charts.js']
  })
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
})
