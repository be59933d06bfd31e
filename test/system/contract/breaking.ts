import { answerOf, type Contract, type Operation } from './document.js'

/**
 * What a new version of the document takes from those who rely on the old one, a line for each: answers may gain paths,
 * statuses, media types and fields, and lose none; what is sent may not become more than what was told, and what is
 * asked for may not become more at all.
 */

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  [keyword: string]: unknown
}

/** Keywords that restrict a value: changed or dropped, what was relied on no longer holds. */
const RESTRICTIONS = ['const', 'enum', 'format', 'pattern', 'minimum', 'maximum', 'additionalProperties']

type Lookup = (schema: Schema) => Schema

const lookupIn = ({ components }: Contract): Lookup => schema =>
  schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!] as Schema

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function compareSchemas (before: Schema, after: Schema, [old, now]: [Lookup, Lookup], at: string): string[] {
  const [from, to] = [old(before), now(after)]
  if (from === undefined || to === undefined) return [`${at}: a reference to nothing`]
  if (from.anyOf !== undefined || to.anyOf !== undefined) {
    // each form that may come must be one that could come before
    const forms = from.anyOf ?? [from]
    return (to.anyOf ?? [to]).flatMap((form, index) => {
      const attempts = forms.map(known => compareSchemas(known, form, [old, now], at))
      return attempts.some(problems => problems.length === 0)
        ? []
        : [
        `${at}: form ${index + 1} is none of those it had`
          ]
    })
  }
  if (from.type !== to.type) return [`${at}: type ${from.type} has become ${to.type}`]
  const problems = RESTRICTIONS.filter(keyword => keyword in from && !same(from[keyword], to[keyword]))
    .map(keyword => `${at}: ${keyword} ${JSON.stringify(from[keyword])} has become ${JSON.stringify(to[keyword])}`)
  for (const [name, property] of Object.entries(from.properties ?? {})) {
    const next = to.properties?.[name]
    if (next === undefined) problems.push(`${at}: the field ${name} is gone`)
    else problems.push(...compareSchemas(property, next, [old, now], `${at}.${name}`))
  }
  for (const name of from.required ?? []) {
    if (to.properties?.[name] !== undefined && to.required?.includes(name) !== true) {
      problems.push(`${at}: the field ${name} is no longer always there`)
    }
  }
  if (from.items !== undefined) problems.push(...compareSchemas(from.items, to.items ?? {}, [old, now], `${at}[]`))
  return problems
}

function compareAnswers (before: Contract, after: Contract, path: string, lookups: [Lookup, Lookup]): string[] {
  return Object.keys(before.paths[path]!.get!.responses).flatMap(status => {
    const here = `GET ${path} ${status}`
    const answer = answerOf(before, path, status)!
    const next = answerOf(after, path, status)
    if (next === undefined) return [`${here}: the status is gone`]
    const headers = Object.keys(answer.headers ?? {}).filter(name => next.headers?.[name] === undefined)
    const bodies = Object.entries(answer.content ?? {}).flatMap(([media, { schema }]) => {
      const body = next.content?.[media]
      return body === undefined
        ? [`${here}: the media type ${media} is gone`]
        : compareSchemas(schema as Schema, body.schema as Schema, lookups, `${here} body`)
    })
    return [...headers.map(name => `${here}: the header ${name} is gone`), ...bodies]
  })
}

function compareParameters (before: Operation, after: Operation, lookups: [Lookup, Lookup], at: string): string[] {
  const [known, asked] = [before.parameters ?? [], after.parameters ?? []]
  const problems = known.filter(
    ({ name }) => !asked.some(next => next.name === name)
  ).map(({ name }) => `${at}: the parameter ${name} is gone`)
  for (const parameter of asked) {
    const old = known.find(({ name }) => name === parameter.name)
    if (old === undefined && parameter.required === true) {
      problems.push(`${at}: the new parameter ${parameter.name} is required`)
    }
    if (old === undefined) continue
    if (old.required !== true && parameter.required === true) {
      problems.push(`${at}: the parameter ${parameter.name} has become required`)
    }
    // what could be sent must still be taken: the other way round than with answers
    const [lookupOld, lookupNew] = lookups
    const narrower = compareSchemas(
      parameter.schema as Schema, old.schema as Schema, [lookupNew, lookupOld], at
    ).length > 0
    if (narrower) problems.push(`${at}: the parameter ${parameter.name} takes less than before`)
  }
  return problems
}

/** The breaking changes from one document to another; none: clients of the old one are served by the new. */
export function breakingChanges (before: Contract, after: Contract): string[] {
  const lookups: [Lookup, Lookup] = [lookupIn(before), lookupIn(after)]
  return Object.entries(before.paths).flatMap(([path, { get: old }]) => {
    if (old === undefined) return []
    const at = `GET ${path}`
    const now = after.paths[path]?.get
    if (now === undefined) return [`${at}: the operation is gone`]
    const renamed = old.operationId === now.operationId
      ? []
      : [
      `${at}: operationId ${old.operationId} has become ${now.operationId}, the name of a client's function`
        ]
    return [...renamed, ...compareParameters(old, now, lookups, at), ...compareAnswers(before, after, path, lookups)]
  })
}
