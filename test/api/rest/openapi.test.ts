import { glob, readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CATALOGUE } from '../../../src/api/http/error-catalogue.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { FAILURE_REASONS } from '../../../src/domain/failure-reasons.ts'
import { REASONS } from '../../../src/domain/reasons.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

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

function deref(schema: Node): { properties: Node } {
  const name = String(schema.$ref ?? '')
    .split('/')
    .at(-1)
  return name ? document.components.schemas[name] : (schema as { properties: Node })
}

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
      expect(operation.summary, `${method} ${path}`).toMatch(/^[A-Z][a-z ]{3,40}$/)
      expect(operation.description, `${method} ${path}`).toMatch(/\.$/)
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
      'delete /account/git-hook',
      'delete /account/invitation',
      'delete /account/member',
      'delete /account/webhook',
      'delete /app',
      'delete /app-env',
      'delete /app-env/backup',
      'delete /app-env/host',
      'delete /credential',
      'delete /solutions/installation',
      'delete /token',
      'delete /user/authorization',
      'delete /volume',
      'post /account/git-hook/rotate-secret',
      'post /account/leave',
      'post /account/transfer',
      'post /account/webhook/rotate-secret',
      'post /app-env/backup-restore',
      'post /app-env/credentials/rotate',
      'post /app-env/rollback',
      'post /app-env/stop',
      'post /token/rotate',
    ])
  })

  test('has an example for every call, which its schemas allow', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const check = (what: string, schema: unknown, example: unknown) => {
      expect(example, what).toBeDefined()
      const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
      const validate = ajv.compile(JSON.parse(text))
      expect(validate(example) ? [] : validate.errors, `${what}: ${JSON.stringify(example)}`).toEqual([])
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    for (const { path, method, operation } of operations() as any[]) {
      const what = `${method} ${path}`
      const body = operation.requestBody?.content['application/json']
      if (body) check(`${what}, what is sent`, { ...body.schema, additionalProperties: false }, body.example)
      for (const { name, required, schema, example } of operation.parameters) {
        if (required || example !== undefined) check(`${what}, ${name}`, schema, example)
      }
      const answer = operation.responses['200'].content['application/json']
      check(`${what}, what is answered`, answer.schema, answer.example)
      const { dryRun: _, ...known } = deref(answer.schema).properties
      for (const name of Object.keys(answer.example)) expect(Object.keys(known), `${what} ${name}`).toContain(name)
    }
  })

  test('has examples that the validation accepts', async () => {
    for (const route of routes) {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      const operation: any = document.paths[route.path][route.method.toLowerCase()]
      const query = operation.parameters
        .filter((one: Node) => 'example' in one)
        .map((one: Node) => [one.name, one.example])
      const sent = operation.requestBody?.content['application/json'].example ?? Object.fromEntries(query)
      const schema = 'read' in route ? route.read.query : route.command.input
      const { success, error } = schema.safeParse(sent)
      expect(success ? '' : `${route.method} ${route.path}: ${error}`).toBe('')
    }
  })

  test('lists errors once, and not with every call', () => {
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses as Node)
      expect(
        statuses.filter((status) => !['200', '304'].includes(status)),
        `${method} ${path}`,
      ).toEqual(['default'])
    }
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(document.info.description).toContain(`\`${code}\``)
  })

  test('groups every call under a described heading', () => {
    const described = document.tags.map(({ name }: { name: string }) => name)
    const used = operations().flatMap(({ operation }) => operation.tags as string[])
    expect([...new Set(used)].sort()).toEqual([...described].sort())
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
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
      expect(address).toMatch(/^(\/|data:)/)
      if (address.startsWith('data:')) continue
      if (address !== '/graphql') expect((await call('GET', `/${address}`, { token: null })).status, address).toBe(200)
    }
  })

  test('has every error code, at the address in a problem’s type', async () => {
    const { text } = await call('GET', '//docs/errors', { token: null })
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(text).toContain(`id="${code}"`)
  })

  test('has every reason below its code, and why operations fail', async () => {
    const { text } = await call('GET', '//docs/errors', { token: null })
    for (const [code, reasons] of Object.entries(REASONS)) {
      expect(Object.keys(ERROR_CATALOGUE)).toContain(code)
      for (const reason of Object.keys(reasons)) expect(text).toContain(`id="${code}.${reason}"`)
    }
    for (const reason of Object.keys(FAILURE_REASONS)) expect(text).toContain(`id="failure.${reason}"`)
  })

  test('knows every reason that the source gives', async () => {
    const known = new Set(Object.values<object>(REASONS).flatMap((reasons) => Object.keys(reasons)))
    const given = /(?:conflict|forbidden|rateLimited|tooMuch|DomainError)\(\s*(?:'[A-Z_]+',\s*)?'([A-Z_]+)'/g
    const codes = new Set(Object.keys(ERROR_CATALOGUE))
    const found: string[] = []
    for await (const file of glob('src/**/*.ts')) {
      const text = await readFile(file, 'utf8')
      found.push(...[...text.matchAll(given)].map(([, reason]) => reason ?? ''))
    }
    expect(found.length).toBeGreaterThan(50)
    expect(found.filter((reason) => !known.has(reason) && !codes.has(reason))).toEqual([])
  })
})
