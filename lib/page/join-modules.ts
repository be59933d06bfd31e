/**
 * A page's modules as one file, so that a visit costs one request for them. They are plain: named imports from beside
 * them, named exports at their declarations. Each becomes a function that runs once, after those it imports; whatever
 * else it holds is left as it is.
 */

const IMPORT = /^import\s+(?:\{([^}]*)\}\s+from\s+)?'\.\/([\w-]+\.js)'\n/gm
const EXPORT = /^export (?=(?:const|let|class|function\*?|async function\*?) (\w+))/gm
const REST = /^(?:import\s+[\w{*'"]|export\s)/m

const variableOf = (name: string): string => `$${name.replace(/\W/g, '_')}`

/** "a, b as c" of an import, as the pattern that takes them from an object. */
const patternOf = (names: string): string => names.split(',').map(name => name.trim()).filter(name => name !== '')
  .map(name => name.replace(/^(\w+) as (\w+)$/, '$1: $2')).join(', ')

/**
 * The text of `entry` and of every module it imports, directly or not, as one module.
 * @param read Gives a module's text by its file name.
 * @throws {SyntaxError} on modules that import one another in a circle, or that import or export in another form.
 */
export function joinModules (entry: string, read: (name: string) => string): string {
  const parts: string[] = []
  const done = new Set<string>()

  function visit (name: string, path: readonly string[]): void {
    if (path.includes(name)) throw new SyntaxError(`modules import one another: ${[...path, name].join(' → ')}`)
    if (done.has(name)) return
    const imports: string[] = []
    const exports: string[] = []
    const body = read(name)
      .replace(IMPORT, (_text, names: string | undefined, from: string) => {
        visit(from, [...path, name])
        if (names !== undefined) imports.push(`const { ${patternOf(names)} } = ${variableOf(from)}\n`)
        return ''
      })
      .replace(EXPORT, (_text, exported: string) => {
        exports.push(exported)
        return ''
      })
    if (REST.test(body)) throw new SyntaxError(`${name} imports or exports in a form that can't be joined`)
    done.add(name)
    parts.push(
      `const ${variableOf(name)} = (() => {\n${imports.join('')}${body}\nreturn { ${exports.join(', ')} }\n})()\n`
    )
  }

  visit(entry, [])
  return parts.join('')
}
