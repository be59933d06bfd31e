import neostandard, { plugins } from 'neostandard'

// Imports point one way: server → app → plugins, routes → lib → schemas. `npm run imports` shows that none runs upward
// and none in a circle;
// here are the walls between rooms side by side (docs/architecture.md).
const noFastify = {
  group: ['fastify', 'fastify-*', '@fastify/*', '!@fastify/accept-negotiator'], message: 'lib does not know Fastify'
}
const noIo = {
  group: ['node:*', 'kysely', 'pg', 'libsql', 'ioredis', 'ws'], message: 'rules are pure: no I/O, no clock'
}
const noRoom = (...rooms) => ({
  regex: `(^|/)(${rooms.join('|')})/`, message: `closed from here: ${rooms.join(', ')} (docs/architecture.md)`
})
/** Of the history others know what it can be asked, and not how it is kept. */
const onlyHistoryPort = {
  regex: '(^|/)history/(?!history\\.js$|log-events\\.js$)',
  message: 'of the history only its port, history.ts, is known outside'
}

const CLOCK = 'time and chance come through lib/clock.ts, so that they can be simulated'
const noOwnClock = [
  ...['Date.now', 'performance.now', 'Math.random'].map(name => name.split('.')).map(
    ([object, property]) => `MemberExpression[object.name="${object}"][property.name="${property}"]`
  ),
  'CallExpression[callee.name=/^(setTimeout|setInterval)$/]',
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'ImportDeclaration[source.value=/^(node:)?timers/]'
].map(selector => ({ selector, message: CLOCK }))

const wall = (files, patterns) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [noFastify, ...patterns] }] }
})
/** Rooms that know each other by their types alone. */
const byTypes = (...rooms) => ({ ...noRoom(...rooms), allowTypeImports: true })

export default [
  ...neostandard({ ts: true, ignores: ['dist/**', 'data/**', '.tap/**', '.stryker-tmp/**', 'node_modules/**'] }),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': plugins['typescript-eslint'].plugin },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error'
    }
  },
  // the only rule that asks for types is off, so no types are made for it
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false } },
    rules: { '@typescript-eslint/no-floating-promises': 'off' }
  },
  {
    files: ['simulator/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error', { patterns: [noRoom('lib', 'plugins', 'routes', 'schemas')] }
      ]
    }
  },
  {
    files: ['lib/**/*.ts', 'plugins/**/*.ts'],
    ignores: ['lib/clock.ts'],
    rules: { 'no-restricted-syntax': ['error', ...noOwnClock] }
  },
  {
    files: ['**/*.ts', '**/*.js'],
    rules: {
      '@stylistic/max-len': ['error', { code: 120, ignoreRegExpLiterals: true }]
    }
  },
  wall(['lib/*.ts'], [noRoom('live', 'history', 'responses')]),
  wall(['lib/chain/**/*.ts'], [byTypes('protocol', 'market'), noRoom('live', 'history', 'responses')]),
  wall(['lib/protocol/**/*.ts'], [byTypes('chain', 'market'), noRoom('live', 'history', 'responses')]),
  wall(['lib/market/**/*.ts'], [noIo, byTypes('chain', 'protocol'), noRoom('live', 'history', 'responses')]),
  wall(
    ['lib/http/**/*.ts', 'lib/rate-limit/**/*.ts'],
    [noRoom('live', 'history', 'responses', 'chain', 'protocol', 'market')]
  ),
  wall(['lib/live/**/*.ts'], [noRoom('history', 'responses')]),
  wall(['lib/responses/**/*.ts'], [onlyHistoryPort]),
  wall(['lib/page/**/*.ts'], [onlyHistoryPort]),
  wall(['lib/history/*.ts', 'lib/history/replicas/**/*.ts'], [noRoom('live', 'responses')]),
  wall(
    ['lib/history/rules/**/*.ts'],
    [noIo, byTypes('chain'), noRoom('store', 'indexing', 'volumes', 'replicas', 'live', 'responses')]
  ),
  wall(['lib/history/store/**/*.ts'], [noRoom('indexing', 'volumes', 'replicas', 'chain', 'live', 'responses')]),
  wall(['lib/history/indexing/**/*.ts'], [noRoom('volumes', 'replicas', 'live', 'responses')]),
  wall(['lib/history/volumes/**/*.ts'], [noRoom('indexing', 'replicas', 'live', 'responses')])
]
