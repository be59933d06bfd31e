import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { SettingsSchema } from '../schemas/settings.js'

/** What the documents claim about the tree is true of the tree. */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const DOCUMENTS = [
  'README.md', 'CONTRIBUTING.md', 'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md')).map(name => `docs/${name}`)
]

test('docs/specification.md names tests that are there, and every test that carries a section', t => {
  const rows = [
    ...read('docs/specification.md').matchAll(/^\| [\d., ]+ \| .* \| \[([^\]]+)\]\([^)]+\): (.*) \|$/gm)
  ].map(([, file = '', title = '']) => ({ file, title }))
  t.ok(rows.length > 30)
  const titles = new Map<string, string[]>()
  for (const file of readdirSync(
    join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }
  ).filter(name => name.endsWith('.test.ts'))) {
    if (file === 'docs.test.ts') continue
    // a title may go on in the next line
    titles.set(`test/${file}`, [
      ...read(`test/${file}`).replaceAll(/' \+\n *'/g, '').matchAll(/test\(\s*'(spec (?:[^'\\]|\\.)*)'/g)
    ].map(([, title = '']) => title.replaceAll("\\'", "'")))
  }
  t.same(rows.filter(({ file, title }) => titles.get(file)?.includes(title) !== true), [])
  t.same([...titles].flatMap(
    ([file, found]) => found.filter(title => !rows.some(row => row.file === file && row.title === title))
  ), [])
  t.end()
})

test('"Where is …?" names files that are there', t => {
  const [, list = ''] = read('docs/architecture.md').split('## Where is …?')
  const files = [...list.matchAll(/`([\w./-]+)`/g)].map(([, file = '']) => file)
  t.ok(files.length >= 40)
  t.same(files.filter(file => !existsSync(join(ROOT, file))), [])
  t.end()
})

test('files of this repository that the documents name are there', t => {
  const missing = DOCUMENTS.flatMap(document => [
    ...read(document).matchAll(
      /`((?:lib|plugins|routes|schemas|scripts|simulator|test|bench|deploy|examples)\/[\w./-]+\.(?:ts|js|py|json|yml|yaml))`/g
    )
  ]
    .map(([, file = '']) => file).filter(file => !existsSync(join(ROOT, file))).map(file => `${document}: ${file}`))
  const links = DOCUMENTS.flatMap(document => [...read(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
    .map(([, target = '']) => target).filter(
      target => !existsSync(join(ROOT, document, '..', target))
    ).map(target => `${document}: ${target}`))
  t.same([...missing, ...links], [])
  t.end()
})

test('every setting has its row in the README; .env.example sets known ones, mainnet\'s fee rate, and no folder', t => {
  const readme = read('README.md')
  const names = Object.keys(SettingsSchema.properties)
  t.same(names.filter(name => !new RegExp(`^\\| [^|]*\`${name}\``, 'm').test(readme)), [])
  const set = [
    ...read('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)
  ].map(([, name = '', value = '']) => [name, value])
  t.same(set.filter(([name = '']) => !names.includes(name)), [])
  const values = new Map(set as Array<[string, string]>)
  t.equal(values.get('PROTOCOL_FEE_RATE'), '0.005', 'so that nothing warns on mainnet')
  t.match(readme, 'PROTOCOL_FEE_RATE=0.005')
  t.notMatch(read('.env.example'), /^DATA_DIR=/m, 'the unit and the image set a folder of their own')
  t.end()
})

test('the glossary is one page', t => {
  t.ok(read('docs/glossary.md').trimEnd().split('\n').length < 30)
  t.end()
})

test('files that a comment names are there', t => {
  const folders = ['lib', 'plugins', 'routes', 'schemas', 'scripts', 'simulator', 'test', 'bench', 'public', 'examples']
  const paths = folders.flatMap(
    folder => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`)
  )
  const all = [
    ...readdirSync(ROOT), ...readdirSync(join(ROOT, 'docs')).map(name => `docs/${name}`), ...paths
  ].map(path => `/${path}`)
  // what follows the sign of a comment; sources of the programs have a folder of their own, in Rust or under `sdk`
  const comment = /(?:^|\s)(?:\/\/|\*|\/\*\*?|#)\s(.*)$/gm
  const named = /(?<![\w./@-])((?:[\w-]+\/)*[\w.-]+\.(?:ts|md|py|ya?ml|html|css))(?![\w/])/g
  const isThere = (file: string): boolean => file.startsWith('sdk/') || all.some(path => path.endsWith(`/${file}`))
  const sources = paths.filter(path => /\.(ts|js|py|css)$/.test(path))
  const gone = sources.flatMap(path => [...read(path).matchAll(comment)].flatMap(
    ([, text = '']) => [...text.matchAll(named)]
  )
    .map(([, file = '']) => file).filter(file => !isThere(file)).map(file => `${path}: ${file}`))
  t.ok(sources.length > 500)
  t.same(gone, [])
  t.end()
})

test('what the mutated rules and their tests import is in the copy that `npm run mutate` makes', t => {
  const { ignorePatterns } = JSON.parse(read('stryker.config.json')) as { ignorePatterns: string[] }
  const files = ['lib', 'test/lib', 'test/support'].flatMap(folder => readdirSync(
    join(ROOT, folder), { recursive: true, encoding: 'utf8' }
  ).filter(name => name.endsWith('.ts')).map(name => join(folder, name)))
  const imported = files.flatMap(file => [...read(file).matchAll(/from '(\.[^']+)'/g)]
    .map(([, target = '']) => ({ file, target: join(file, '..', target) })))
  t.ok(imported.length > 500)
  t.same(imported.filter(({ target }) => ignorePatterns.includes(target.split('/')[0]!)), [])
  t.end()
})
