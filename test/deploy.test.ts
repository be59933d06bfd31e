import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { createMetrics } from '../lib/responses/metrics.js'
import { SettingsSchema } from '../schemas/settings.js'

/** The files of deploy/ speak of metrics, settings and kinds that there are. */

const DEPLOY = fileURLToPath(new URL('../deploy/', import.meta.url))
const read = (name: string): string => readFileSync(DEPLOY + name, 'utf8')

/** Names of every series that the service exports, those of the process and of histograms included. */
async function exported (): Promise<Set<string>> {
  const service: object = new Proxy(() => {}, { get: () => service })
  const { registry } = createMetrics(service as never)
  const names = new Set<string>(['up'])
  for (const { name, type } of registry.getMetricsAsArray() as unknown as Array<{ name: string, type: unknown }>) {
    names.add(name)
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`)
  }
  registry.clear()
  return names
}

const FUNCTIONS = new Set([
  'sum', 'rate', 'delta', 'changes', 'max', 'min', 'histogram_quantile', 'by', 'on', 'and', 'or', 'offset',
  'label_values', 'job', 'le', 'instance'
])

/** The metrics that an expression of PromQL names. */
function metricsOf (expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\{[^}]*\}/g, '').replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|on)\s*\([^)]*\)/g, '')
  return [...bare.matchAll(/[a-z_][a-z_0-9]*/gi)].map(([name]) => name).filter(
    name => !FUNCTIONS.has(name) && !/^\d/.test(name) && name.length > 1
  )
}

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string, runbook: string }
}

test('every alert asks for metrics that are exported, and says what to do', async t => {
  const names = await exported()
  const { groups } = parse(read('alerts.yml')) as { groups: Array<{ rules: Rule[] }> }
  const rules = groups.flatMap(({ rules }) => rules)
  t.ok(rules.length >= 12)
  for (const { alert, expr, annotations, labels } of rules) {
    const asked = metricsOf(expr)
    t.ok(asked.length > 0, `${alert} asks for something`)
    t.same(asked.filter(name => !names.has(name)), [], alert)
    t.ok(annotations.summary.length > 20 && annotations.runbook.length > 20 &&
      ['page', 'ticket'].includes(labels.severity), `${alert} says what to do`)
  }
})

test('every panel of the dashboard asks for metrics that are exported', async t => {
  const names = await exported()
  const { panels } = JSON.parse(read('grafana.json')) as {
    panels: Array<{ title: string, type: string, targets?: Array<{ expr: string }> }>
  }
  const asked = new Set<string>()
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      for (const name of metricsOf(expr)) asked.add(name)
      t.same(metricsOf(expr).filter(name => !names.has(name)), [], title)
    }
  }
  t.ok(asked.size >= 18, `${asked.size} metrics are shown`)
})

interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string, labels?: Record<string, string> }
  spec?: Record<string, unknown>
}

const objects = (): KubernetesObject[] => readdirSync(`${DEPLOY}kubernetes`).filter(
  name => name !== 'kustomization.yaml'
)
  .flatMap(name => parseAllDocuments(read(`kubernetes/${name}`)).map(document => document.toJS() as KubernetesObject))

/** Throws where an object is not what the schema of its kind allows. */
async function validate (object: KubernetesObject): Promise<void> {
  const found = object.apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models'
  const module = await import(
    `${found}/${object.apiVersion}/${object.kind}`
  ) as Record<string, new (value: object) => { validate (): void }>
  new module[object.kind]!(object).validate()
}

test('every Kubernetes object is valid by the schema of its kind, and what it selects is there', async t => {
  const all = objects()
  t.same(
    all.map(({ kind }) => kind).sort(),
    ['Deployment', 'Deployment', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceMonitor']
  )
  for (const object of all) await t.resolves(validate(object), `${object.kind} ${object.metadata.name}`)
  const [deployment] = all.filter(({ kind }) => kind === 'Deployment')
  await t.rejects(validate({ ...deployment!, spec: { ...deployment!.spec, replicas: 'two' } }), 'the schema is held to')
  const { resources, configMapGenerator: [{ literals }] } = parse(read('kubernetes/kustomization.yaml')) as {
    resources: string[]
    configMapGenerator: [{ literals: string[] }]
  }
  t.same(resources.sort(), readdirSync(`${DEPLOY}kubernetes`).filter(name => name !== 'kustomization.yaml').sort())
  const settings = Object.keys(SettingsSchema.properties)
  t.same(
    literals.map(line => line.split('=')[0]!).filter(name => !settings.includes(name)), [], 'the settings are known'
  )
  const roles = all.filter(({ kind }) => kind === 'Deployment').map(
    ({ spec }) => (spec as any).template.spec.containers[0].env[0]
  )
  t.same(roles.map(({ name, value }) => `${name}=${value}`).sort(), ['ROLE=api', 'ROLE=indexer'])
})

const skip = spawnSync('kubectl', ['version', '--client']).error === undefined ? false : 'kubectl is not installed'

test('kustomize builds the objects', { skip }, t => {
  const built = execFileSync('kubectl', ['kustomize', `${DEPLOY}kubernetes`], { encoding: 'utf8' })
  const made = parseAllDocuments(built).map(document => document.toJS() as KubernetesObject)
  t.equal(made.length, objects().length + 1, 'and the settings')
  t.ok(made.every(({ metadata: { labels } }) => labels?.['app.kubernetes.io/name'] === 'dao-market-data'))
  t.end()
})

test('compose, unit and image name settings that there are', t => {
  const settings = [...Object.keys(SettingsSchema.properties), 'POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD']
  const { services } = parse(readFileSync(`${DEPLOY}../compose.yaml`, 'utf8')) as {
    services: Record<string, { environment?: Record<string, string> }>
  }
  t.same(Object.values(services).flatMap(
    ({ environment = {} }) => Object.keys(environment)
  ).filter(name => !settings.includes(name)), [])
  const [, unit = ''] = /^Environment=(.*)$/m.exec(read('dao-market-data.service')) ?? []
  t.same(unit.split(' ').map(pair => pair.split('=')[0]!).filter(name => !settings.includes(name)), [])
  const flags = (text: string): string[] => text.match(/--[\w-]+(=\d+)?/g) ?? []
  const { scripts } = JSON.parse(readFileSync(`${DEPLOY}../package.json`, 'utf8')) as { scripts: { start: string } }
  t.same(
    flags(/^ExecStart=.*$/m.exec(read('dao-market-data.service'))![0]),
    flags(scripts.start),
    'the unit starts as npm start does'
  )
  t.same(
    flags(/^CMD .*$/m.exec(readFileSync(`${DEPLOY}../Dockerfile`, 'utf8'))![0]),
    flags(scripts.start),
    'and so does the image'
  )
  t.end()
})

test('no shell stands between npm, which passes signals on, and what runs until it is told to end', t => {
  const text = readFileSync(`${DEPLOY}../package.json`, 'utf8')
  const { scripts } = JSON.parse(text) as { scripts: Record<string, string> }
  for (const name of ['start', 'dev', 'demo', 'backfill', 'migrate', 'record', 'replay']) {
    t.match(scripts[name], /^exec /, name)
  }
  t.end()
})

test('with NODE_ENV=production set, as the service may have it, npm installs what builds the service', t => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const { stdout, stderr } = spawnSync(
    'npm', ['config', 'get', 'omit'], { cwd: `${DEPLOY}..`, env: { ...env, NODE_ENV: 'production' }, encoding: 'utf8' }
  )
  t.equal(stdout.trim(), '')
  t.notMatch(stderr, 'invalid')
  t.end()
})
