import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The parts of an OpenAPI document that answers are held to. */
export interface Contract {
  paths: Record<string, { get?: Operation }>
  components: { schemas: Record<string, object>, headers: Record<string, unknown> }
}

export interface Operation {
  operationId?: string
  summary?: string
  description?: string
  parameters?: Array<{ name: string, in: string, required?: boolean, schema: object }>
  responses: Record<string, DocumentedAnswer>
}

export interface DocumentedAnswer {
  description: string
  headers?: Record<string, object>
  content?: Record<string, { schema: object, example?: unknown, examples?: Record<string, { value: unknown }> }>
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
