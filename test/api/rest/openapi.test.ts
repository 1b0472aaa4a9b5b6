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

const twice = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index)

/** Endings of the types that openapi-typescript, hey-api, orval and openapi-generator make of an operation. */
const DERIVED = ['Data', 'Errors', 'Error', 'Responses', 'Response', 'Result', 'Params', 'Body', 'Request', 'Options']

/** Keywords, and types that are there without an import, of TypeScript, Python, Java, Kotlin, C#, Go, Swift and Rust. */
const RESERVED = new Set(
  `abstract and any array arraybuffer as assert async await base bigint blob bool boolean break byte case catch char
  character class const continue date datetime decimal default def defer delegate delete dictionary do double dynamic elif
  else enum error event eventtarget except exception export extends extension false file final finally float fn for from
  func function global go goto guard headers if impl implements import in init inout int integer interface internal is
  iterable lambda let list long map match mod module mut namespace native new nil none nonlocal not null number object
  operator option or out override package partial pass pick print private promise protected protocol proxy public raise
  range readonly record ref request require response result return self set short signed sizeof static str string struct
  super switch symbol synchronized task this thread throw throws trait transient true try tuple type typedef typeof uint
  undefined union unknown unsafe unsigned use using var vec vector virtual void volatile weakmap weakset where while with
  yield`.split(/\s+/),
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
      if (body) {
        expect(deref(body.schema), what).toHaveProperty('additionalProperties', false)
        check(`${what}, what is sent`, body.schema, body.example)
      }
      for (const { name, required, schema, example } of operation.parameters) {
        if (required || example !== undefined) check(`${what}, ${name}`, schema, example)
      }
      const answer = operation.responses['200'].content['application/json']
      check(`${what}, what is answered`, answer.schema, answer.example)
      const { dryRun: _, ...known } = deref(answer.schema).properties
      for (const name of Object.keys(answer.example)) expect(Object.keys(known), `${what} ${name}`).toContain(name)
    }
  })

  test('has no example that only says of what type it is', () => {
    const examples = nodes(document).flatMap((node) => ('example' in node ? [node.example] : []))
    expect(examples.length).toBeGreaterThan(operations().length)
    const isIdle = (value: unknown): boolean =>
      typeof value === 'object' && value !== null
        ? Object.values(value).some(isIdle)
        : ['text', 'string', 'value', ''].includes(String(value))
    expect(examples.filter(isIdle)).toEqual([])
  })

  test('has examples of refusals, parameters and events, too, which their schemas allow', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const { parameters, responses } = document.components
    const shown = nodes([parameters, responses, document.webhooks ?? {}]).filter((node) => 'example' in node)
    expect(shown.length).toBeGreaterThan(Object.keys(responses).length)
    for (const { schema, example } of shown) {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
      expect(validate(example) ? [] : validate.errors, JSON.stringify(example)).toEqual([])
    }
  })

  test('has the times of all answers in one schema', () => {
    const times = nodes(document).filter(({ format }) => format === 'date-time')
    expect(times).toEqual([document.components.schemas.Timestamp])
    expect(times[0]).not.toHaveProperty('pattern')
  })

  test('names every body and every answer', () => {
    for (const { path, method, operation } of operations()) {
      const { requestBody, responses } = operation as { requestBody?: Node; responses: Record<string, Node> }
      for (const body of [requestBody, ...Object.values(responses)]) {
        const { schema } = ((body?.content ?? {}) as Record<string, { schema: Node }>)['application/json'] ?? {}
        if (schema) expect(Object.keys(schema), `${method} ${path}`).toEqual(['$ref'])
      }
    }
  })

  test('has no two names that generators would take for one, and none that a language keeps for itself', () => {
    const webhooks = Object.values<{ post: Node }>(document.webhooks).map(({ post }) => ({ operation: post }))
    const ids = [...operations(), ...webhooks].map(({ operation }) => String(operation.operationId))
    const { schemas, responses, parameters, headers } = document.components
    const named = [schemas, responses, parameters, headers].map((all) => Object.keys(all))
    // What generators make of an operation, beside the schemas.
    const derived = ids.flatMap((id) => DERIVED.map((ending) => `${id}${ending}`))
    const ofResponses = Object.keys(responses).map((name) => `${name}Response`)
    for (const names of [ids, ...named, [...Object.keys(schemas), ...derived, ...ofResponses]])
      expect(twice(names.map((name) => name.toLowerCase()))).toEqual([])
    expect([...ids, ...Object.keys(schemas)].filter((name) => RESERVED.has(name.toLowerCase()))).toEqual([])
    for (const name of [...ids, ...Object.keys(schemas)]) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9]*$/)
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

  test('names the statuses of each call, by reference, and describes each once', () => {
    for (const { path, method, operation } of operations()) {
      const { 200: done, 304: unchanged, ...refusals } = operation.responses as Record<string, Node>
      const statuses = Object.keys(refusals).map(Number)
      expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining([400, 401, 403, 429, 500, 503]))
      if (method !== 'get') expect(statuses).toEqual(expect.arrayContaining([404, 409, 412, 413, 415, 422]))
      for (const [status, refusal] of Object.entries(refusals)) {
        const { $ref, ...inline } = refusal as { $ref: string }
        expect(inline, `${method} ${path} ${status}`).toEqual({})
        const { example } =
          document.components.responses[$ref.split('/').at(-1) ?? ''].content['application/problem+json']
        expect(example.status).toBe(Number(status))
      }
      expect(done, `${method} ${path}`).toBeDefined()
    }
    const incomplete = operations().filter(({ operation }) => '502' in (operation.responses as Node))
    expect(incomplete.map(({ operation }) => operation.operationId).sort()).toEqual([
      'installCompose',
      'installSolution',
      'upgradeInstallation',
    ])
    for (const code of Object.keys(ERROR_CATALOGUE)) expect(document.info.description).toContain(`\`${code}\``)
  })

  test('groups every call under a described heading', () => {
    const described = document.tags.map(({ name }: { name: string }) => name)
    const used = operations().flatMap(({ operation }) => operation.tags as string[])
    expect([...new Set(used)].sort()).toEqual([...described].sort())
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
  })

  test('says which of several fields is needed: in the schema of a body, of parameters in words', () => {
    const { schemas } = document.components
    const either = [{ required: ['appEnvId'] }, { required: ['envName'] }]
    expect(schemas.DeployImageInput).toMatchObject({ anyOf: either })
    expect(schemas.ConnectGitInstallationInput.properties.proof).toMatchObject({
      oneOf: [{ required: ['code'] }, { required: ['userToken'] }],
    })
    expect(schemas.ChangeScalingInput).toMatchObject({
      allOf: [{ anyOf: either }, { anyOf: [{ required: ['containers'] }, { required: ['autoScaling'] }] }],
    })
    const { description } = document.paths['/app-env/metrics-series'].get
    expect(description).toMatch(
      /One of `appEnvId` and `envName` is required\. Send exactly one of `metric` and `metrics`\.$/,
    )
    const validate = new Ajv2020({ strict: false }).compile({ ...schemas.DeployImageInput, $id: 'of-the-test' })
    expect([{ image: 'a' }, { image: 'a', envName: 'b' }].map((body) => validate(body))).toEqual([false, true])
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
