import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The parts of an OpenAPI document that answers are held to. */
export interface Contract {
  paths: Record<string, { get?: Operation }>
  components: {
    schemas: Record<string, object>, headers: Record<string, unknown>, responses?: Record<string, DocumentedAnswer>
  }
}

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  parameters?: Array<{ name: string, in: string, required?: boolean, schema: object, example?: unknown }>
  responses: Record<string, DocumentedAnswer | { $ref: string }>
}

export interface DocumentedAnswer {
  description: string
  headers?: Record<string, object>
  content?: Record<string, { schema: object, example?: unknown, examples?: Record<string, { value: unknown }> }>
}

/** The keys that lead to a part of the document. */
export interface Way { way: readonly string[] }

/** What an operation answers with a status, and the way that leads to it; undefined: it has no such status. */
export function answerOf (
  { paths, components }: Contract, path: string, status: string
): DocumentedAnswer & Way | undefined {
  const answer = paths[path]?.get?.responses[status]
  if (answer === undefined) return undefined
  if (!('$ref' in answer)) return { ...answer, way: ['paths', path, 'get', 'responses', status] }
  const name = answer.$ref.replace('#/components/responses/', '')
  return { ...components.responses![name]!, way: ['components', 'responses', name] }
}

const ID = 'contract'
const escape = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Validators of the parts of a document, each found by the way that leads to it. Formats are on. */
export function createValidators (document: object): (way: readonly string[]) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  formats.default(ajv)
  ajv.addSchema(document, ID)
  const made = new Map<string, ValidateFunction>()
  return way => {
    const $ref = `${ID}#/${way.map(escape).join('/')}`
    const known = made.get($ref)
    if (known !== undefined) return known
    const validate = ajv.compile({ $ref })
    made.set($ref, validate)
    return validate
  }
}

/** A part of a schema that says which fields a value has. */
interface Described {
  $ref?: string
  anyOf?: Described[]
  items?: Described
  properties?: Record<string, Described>
}

/** Rows of a list that are looked at: all are made alike. */
const LOOKED_AT = 3

/** Where the fields of a value come in another order than the document has them; undefined: nowhere. */
export function misplaced (contract: Contract, schema: Described, value: unknown, at = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const resolved = ({ $ref, ...own }: Described): Described =>
    $ref === undefined ? own : contract.components.schemas[$ref.replace('#/components/schemas/', '')]!
  const given = Object.keys(value)
  const { anyOf = [schema] } = resolved(schema)
  const has = ({ properties = {} }: Described): boolean => given.every(name => Object.hasOwn(properties, name))
  const { items, properties = {} } = anyOf.map(resolved).find(has) ?? resolved(anyOf[0]!)
  if (Array.isArray(value)) {
    return value.slice(0, LOOKED_AT).map(row => items && misplaced(contract, items, row, `${at}[]`))
      .find(problem => problem !== undefined)
  }
  const documented = Object.keys(properties).filter(name => given.includes(name))
  if (documented.length === 0) return undefined
  const wrong = given.findIndex((name, place) => name !== documented[place])
  if (wrong !== -1) return `${at}/${given[wrong]} stands where ${documented[wrong]} is documented`
  return documented.map(name =>
    misplaced(contract, properties[name]!, value[name as keyof typeof value], `${at}/${name}`)
  ).find(problem => problem !== undefined)
}
