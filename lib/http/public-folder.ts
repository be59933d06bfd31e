import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PACKAGE_ROOT } from '../package-root.js'

/** A folder of public/, which the build does not copy. Throws where it is missing. */
export function publicFolder (name: string): string {
  const folder = fileURLToPath(new URL(`public/${name}/`, PACKAGE_ROOT))
  if (!existsSync(folder)) throw new Error(`public/${name} is missing beside the program`)
  return folder
}
