import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'

type Node = Record<string, unknown>

const BASE = '/api/public/v1'

/** Headers that a client decides by: an answer has none that its documentation does not name. */
const HEADERS = [
  'etag',
  'operation-location',
  'idempotent-replayed',
  'retry-after',
  'preference-applied',
  'operation-status',
]

export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

export type ExpectDocumented = (method: string, path: string, answer: Answer) => void

/** A check that fails unless an OpenAPI document declares an answer: path, method, status, type and every field. */
export function documentedBy(document: object): ExpectDocumented {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')

  const at = (pointer: string[]): unknown =>
    pointer.reduce<unknown>((node, key) => (node as Node | undefined)?.[key], document)

  /** Follows a reference such as `#/components/responses/NotFound`. */
  function resolve(pointer: string[]): string[] {
    const node = at(pointer) as { $ref?: string } | undefined
    return node?.$ref ? node.$ref.slice(2).split('/') : pointer
  }

  return (method, path, answer) => {
    if (!path.startsWith(BASE)) return
    const operation = ['paths', path.slice(BASE.length), method.toLowerCase()]
    // Wrong paths and methods belong to no operation.
    if (!at(operation)) return
    const name = `${method} ${path} ${answer.status}`
    const response = resolve([...operation, 'responses', String(answer.status)])
    expect(at(response), `${name} is in the document`).toBeDefined()
    const documented = Object.keys((at([...response, 'headers']) as Node | undefined) ?? {})
    for (const header of HEADERS) {
      if (answer.headers.has(header) && answer.status < 400)
        expect(documented.map((known) => known.toLowerCase())).toContain(header)
    }
    if (answer.status === 304) return
    const type = answer.headers.get('content-type') ?? ''
    const isDryRun = (answer.body as { dryRun?: unknown }).dryRun === true && at([...operation, 'x-dry-run-answer'])
    const isRepresentation = answer.headers.get('preference-applied')?.includes('return=representation')
    const usual = isRepresentation ? [...operation, 'x-representation'] : [...response, 'content', type, 'schema']
    const schema = isDryRun ? [...operation, 'x-dry-run-answer'] : usual
    expect(at(schema), `${name} is documented as ${type}`).toBeDefined()
    const pointer = schema
      .map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/')
    const validate = ajv.getSchema(`openapi#/${pointer}`)
    if (!validate) throw new Error(`No schema for ${name}`)
    const isValid = validate(answer.body)
    expect(isValid ? [] : validate.errors, `${name} has the documented shape`).toEqual([])
  }
}
