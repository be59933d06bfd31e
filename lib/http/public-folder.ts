import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A folder of public/, which the build does not copy: it stands two folders above this file in the source, three in the build. Throws where it is missing. */
export function publicFolder (name: string): string {
  for (const path of [`../../public/${name}/`, `../../../public/${name}/`]) {
    const folder = fileURLToPath(new URL(path, import.meta.url))
    if (existsSync(folder)) return folder
  }
  throw new Error(`public/${name} is missing beside the program`)
}
