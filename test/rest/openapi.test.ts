import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CATALOGUE } from '../../src/http/error-catalogue.ts'
import { serveRest } from '../support/rest.ts'
import { createWorld, type World } from '../support/world.ts'

type Node = Record<string, unknown>

let world: World
let call: ReturnType<typeof serveRest>['call']
// biome-ignore lint/suspicious/noExplicitAny: the test reads the document at every depth.
let document: any

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
  document = (await call('GET', '//openapi.json', { token: null })).body
})

afterAll(() => world.close())

const operations = () =>
  Object.entries<Node>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Node })),
  )

/** Every object anywhere in the document. */
function nodes(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : [value as Node]
  return [...own, ...Object.values(value).flatMap(nodes)]
}

describe('the OpenAPI document', () => {
  test('is 3.1, and its schemas are valid JSON Schema 2020-12', () => {
    expect(document.openapi).toBe('3.1.0')
    const ajv = new Ajv2020({ strict: false })
    for (const node of nodes(document)) {
      if (!('schema' in node)) continue
      const { $ref } = node.schema as Node
      if (!$ref) expect(ajv.validateSchema(node.schema as Node), JSON.stringify(node.schema)).toBe(true)
    }
  })

  test('refers only to its own parts', () => {
    for (const { $ref } of nodes(document)) {
      if (typeof $ref !== 'string') continue
      const found = $ref
        .slice(2)
        .split('/')
        .reduce((node, key) => node?.[key], document)
      expect(found, $ref).toBeDefined()
    }
  })

  test('names every operation once, and describes it and its fields', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, method, operation } of operations()) {
      expect(operation.summary, `${method} ${path}`).toBeTruthy()
      for (const parameter of operation.parameters as Node[]) {
        expect(parameter.$ref ?? parameter.description, `${method} ${path} ${parameter.name}`).toBeTruthy()
      }
    }
  })

  test('flags dangerous operations', () => {
    const dangerous = operations()
      .filter(({ operation }) => operation['x-dangerous'])
      .map(({ path, method }) => `${method} ${path}`)
    expect(dangerous.sort()).toEqual([
      'delete /account',
      'delete /account/member',
      'delete /app',
      'delete /app-env',
      'delete /app-env/host',
      'delete /credential',
      'delete /token',
      'delete /volume',
      'post /app-env/rollback',
      'post /app-env/stop',
    ])
  })

  test('equals the validation: an undeclared field is refused', async () => {
    for (const { path, method, operation } of operations()) {
      if (!operation.requestBody) continue
      const { body } = await call(method.toUpperCase(), path, { body: { neverNamed: 1 } })
      expect(body.errors, `${method} ${path}`).toContainEqual({
        field: 'neverNamed',
        message: 'is not a field of this call',
      })
    }
  })

  test('is answered without a body when it has not changed', async () => {
    const { headers } = await call('GET', '//openapi.json')
    const again = await call('GET', '//openapi.json', { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  })
})

describe('the documentation', () => {
  test('loads everything from this server', async () => {
    const page = await call('GET', '//docs', { token: null })
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    expect(addresses.length).toBeGreaterThan(4)
    for (const address of addresses) {
      expect(address).toMatch(/^\//)
      if (address !== '/graphql') expect((await call('GET', `/${address}`, { token: null })).status, address).toBe(200)
    }
  })

  test('has every error code, at the address in a problem’s type', async () => {
    const { text } = await call('GET', '//docs/errors', { token: null })
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(text).toContain(`id="${code}"`)
  })
})
