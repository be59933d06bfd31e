import t from 'tap'
import { joinModules } from '../../../lib/page/join-modules.js'

const from = (files: Record<string, string>) =>
  (name: string): string => files[name] ?? (() => { throw new Error(`no ${name}`) })()
const run = async (text: string): Promise<unknown> => await import(`data:text/javascript,${encodeURIComponent(text)}`)

t.test('modules run once, after what they import, each with names of its own', async t => {
  const text = joinModules('a.js', from({
    'a.js': "import { twice as double } from './b.js'\nimport {\n  one\n} from './c.js'\nimport './d.js'\nconst own = double(one)\nglobalThis.joined = [own, globalThis.order]\n",
    'b.js': "import { one } from './c.js'\nconst own = 2\nglobalThis.order = [...globalThis.order ?? [], 'b']\nexport function twice (n) { return n * own * one }\n",
    'c.js': "globalThis.order = [...globalThis.order ?? [], 'c']\nexport const one = 1\nexport class Unused {}\nexport async function later () {}\n",
    'd.js': "globalThis.order = [...globalThis.order, 'd']\n"
  }))
  await run(text)
  t.same((globalThis as Record<string, unknown>).joined, [2, ['c', 'b', 'd']])
})

t.test('what it can\'t join is refused', async t => {
  t.throws(() => joinModules(
    'a.js', from({ 'a.js': "import { b } from './b.js'\n", 'b.js': "import { a } from './a.js'\nexport const b = 1\n" })
  ), /a\.js → b\.js → a\.js/)
  for (const line of [
    "import x from './b.js'", "import * as x from './b.js'", 'export default 1', "export { a } from './b.js'",
    "import { x } from 'elsewhere'"
  ]) {
    t.throws(() => joinModules('a.js', from({ 'a.js': `${line}\n`, 'b.js': '' })), SyntaxError, line)
  }
})
