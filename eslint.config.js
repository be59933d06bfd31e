import neostandard, { plugins } from 'neostandard'

// Imports point one way: server → app → plugins, routes → lib → schemas (types only). See README, "The house".
const noFastify = { group: ['fastify', 'fastify-*', '@fastify/*'], message: 'lib does not know Fastify' }
const noUpward = { regex: '(^|/)(plugins|routes|app|server)(\\.js|/)', message: 'imports point from plugins and routes to lib, never back' }
const noWing = wing => ({ regex: `(^|/)${wing}/`, message: 'the wings and their foundations stand apart (README, "The house")' })

const wall = (files, wings, extra = {}) => ({
  files,
  rules: {
    '@typescript-eslint/no-restricted-imports': ['error', { patterns: [noFastify, noUpward, ...wings.map(noWing)], ...extra }]
  }
})

const foundation = (own, others) => ({
  files: [`lib/${own}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': ['error', {
      patterns: [noFastify, noUpward, noWing('live'), noWing('history'),
        ...others.map(other => ({ ...noWing(other), allowTypeImports: true }))]
    }]
  }
})

export default [
  ...neostandard({ ts: true, ignores: ['dist/**', 'data/**', '.tap/**', 'node_modules/**'] }),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': plugins['typescript-eslint'].plugin },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error'
    }
  },
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { '@typescript-eslint/no-floating-promises': 'off' } },
  wall(['lib/*.ts'], ['live', 'history']),
  wall(['lib/answers/**/*.ts', 'lib/limiter/**/*.ts', 'lib/recording/**/*.ts'], []),
  wall(['lib/live/**/*.ts'], ['history']),
  wall(['lib/history/**/*.ts'], ['live']),
  foundation('chain', ['protocol', 'market']),
  foundation('protocol', ['chain', 'market']),
  foundation('market', ['chain', 'protocol'])
]
