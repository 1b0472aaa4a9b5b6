import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../../src/api/rest/routes.ts'
import { importCompose } from '../../../src/solutions/compose/import-compose.ts'
import { TEXT_FIELDS, withText } from '../../hostile/injection-fields.ts'
import { resolve } from '../../hostile/rest-cases.ts'
import type { JsonSchema } from '../../hostile/schema-values.ts'
import { inGraphQL } from '../../parity/apis.ts'
import { CASES } from '../../parity/read-cases.ts'
import { reads, writes } from '../../permissions/calls.ts'
import { repetitions } from '../../support/repetitions.ts'
import { type Served, serveWorld } from '../../support/serve-world.ts'
import { createWorld, type World } from '../../support/world.ts'
import { HARMFUL_DOCUMENTS, repeated, UNITS } from './harmful-texts.ts'

/**
 * The text fields of every call, each with the longest texts that it may hold, of kinds that cost a careless parser time:
 * what one call computes is bounded, because all others wait for it. Processor time of this process; the database's is
 * its own.
 */
const MS = 900_000
const MAX_MS = 500
/** Of a body; a field without a bound of its own may have nearly all of it. */
const MAX_TEXT = 1_000_000
const TRIES = 3
/** So many kinds of texts for a short field, and over GraphQL, which has the same services. */
const KINDS_IN_TURN = 4
/** Characters of a variable of a compose file, and of a file with its variables filled in. */
const [MAX_VARIABLE, MAX_FILLED] = [4_096, 262_144]
const BASE = '/api/public/v1'

let world: World
let served: Served
let place: Awaited<ReturnType<typeof reads>>['place']
/** An accepted input of each command, by its route. */
let inputs: Map<string, Readonly<Record<string, unknown>>>

beforeAll(async () => {
  const most = '10000000'
  const settings = { BERTH_RATE_LIMIT: most, BERTH_ANONYMOUS_RATE_LIMIT: most, BERTH_OPERATION_RATE_LIMIT: '1000000' }
  world = await createWorld({ settings })
  served = serveWorld(world)
  place = (await reads(world)).place
  inputs = new Map((await writes(world)).map(({ name, fields }) => [name, fields]))
})
afterAll(async () => {
  await served?.close()
  await world?.close()
})

/** Processor time in ms: the least of some tries, because garbage of others is collected in between. */
async function costOf(send: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < TRIES && least > MAX_MS; tries += 1) {
    const before = process.cpuUsage()
    await send()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

interface Measured {
  cells: number
  slow: string[]
  worst: { ms: number; name: string }
}

async function measure(cells: Iterable<{ name: string; send(): Promise<unknown> }>): Promise<Measured> {
  const measured: Measured = { cells: 0, slow: [], worst: { ms: 0, name: '' } }
  for (const { name, send } of cells) {
    measured.cells += 1
    const ms = await costOf(send)
    if (ms > measured.worst.ms) measured.worst = { ms, name }
    if (ms > MAX_MS) measured.slow.push(`${name}: ${Math.round(ms)} ms`)
  }
  return measured
}

function expectCheap(what: string, { cells, slow, worst }: Measured): void {
  console.info(`processor time, ${what}: ${cells} cells, at most ${Math.round(worst.ms)} ms (${worst.name})`)
  expect(slow).toEqual([])
}

async function rest(method: string, path: string, token: string, body: object): Promise<void> {
  const answer = await served.app.request(`${path}?dryRun=true`, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: token, 'content-type': 'application/json', prefer: 'wait=0' },
  })
  await answer.text()
}

async function read(path: string, query: Record<string, string>): Promise<void> {
  const headers = { authorization: world.adminToken }
  await (await served.app.request(`${BASE}${path}?${new URLSearchParams(query)}`, { headers })).text()
}

async function graphql(query: string, variables: object = {}): Promise<void> {
  const headers = { authorization: world.adminToken, 'content-type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  await (await served.app.request('/graphql', { method: 'POST', headers, body })).text()
}

/** The longest text that the schema allows at a place. */
function maxLengthAt(schema: JsonSchema, path: readonly string[]): number {
  const [step, ...rest] = path
  if (schema.$ref) return maxLengthAt(resolve(schema.$ref), path)
  if (schema.anyOf) return Math.max(...schema.anyOf.map((one) => maxLengthAt(one, path)))
  if (step === undefined) return isText(schema) ? Number(schema.maxLength ?? MAX_TEXT) : 0
  const inside = step === '*' ? schema.items : step === '{}' ? schema.additionalProperties : schema.properties?.[step]
  return typeof inside === 'object' ? maxLengthAt(inside, rest) : 0
}

const isText = ({ type, enum: values, const: value }: JsonSchema) =>
  [type].flat().includes('string') && !values && value === undefined

/** In a field that holds no more, quadratic time is no burden, and exponential time shows by any of the texts. */
const SHORT = 1_000

/** Texts for a field, as long as it allows: all of them for a long one, some in turns for a short one. */
function textsFor(max: number, turn: number): string[] {
  const all = [
    ...UNITS.map((unit) => () => repeated(unit, max)),
    ...HARMFUL_DOCUMENTS.map((document) => () => document(max)),
  ]
  const inTurn = Array.from(
    { length: KINDS_IN_TURN },
    (_, index) => UNITS[(turn * KINDS_IN_TURN + index) % UNITS.length],
  )
  return max > SHORT
    ? all.map((make) => make())
    : repetitions<readonly (string | undefined)[]>(inTurn, UNITS).map((unit) => repeated(unit ?? '', max))
}

const shown = (text: string) => `${text.length} characters like ${JSON.stringify(text.slice(0, 24))}`

const writesWithTexts = () =>
  TEXT_FIELDS.flatMap((field) => {
    const { operation, path } = field
    const name = `${operation.method} ${operation.path.slice(BASE.length)}`
    const input = inputs.get(name)
    return input && operation.body ? [{ ...field, name, input, max: maxLengthAt(operation.body, path) }] : []
  })

test(
  'every text field of every command over REST',
  async () => {
    function* cells() {
      for (const [turn, { name, operation, path, input, max }] of writesWithTexts().entries())
        for (const text of textsFor(max, turn)) {
          const body = withText(input, path, text)
          const send = () => rest(operation.method, operation.path, world.adminToken, body)
          yield { name: `${name} ${path.join('.')}: ${shown(text)}`, send }
        }
    }
    expectCheap('commands over REST', await measure(cells()))
  },
  MS,
)

test(
  'every text field of every command over GraphQL',
  async () => {
    function* cells() {
      for (const [turn, { name, operation, path, input, max }] of writesWithTexts().entries()) {
        const route = routes.find(
          (one) => `${one.method} ${BASE}${one.path}` === `${operation.method} ${operation.path}`,
        )
        if (!route || !('command' in route)) continue
        const { command } = route
        const type = `${command.name[0]?.toUpperCase()}${command.name.slice(1)}Input`
        const query = `mutation M($input: ${type}!) { ${command.name}(input: $input) { __typename } }`
        for (const text of textsFor(max, turn).slice(0, KINDS_IN_TURN)) {
          const variables = { input: { ...inGraphQL(withText(input, path, text), command.input), dryRun: true } }
          yield {
            name: `${command.name}.${path.join('.')}, of ${name}: ${shown(text)}`,
            send: () => graphql(query, variables),
          }
        }
      }
    }
    expectCheap('commands over GraphQL', await measure(cells()))
  },
  MS,
)

test(
  'texts that are longer than their field may hold, which its schema refuses',
  async () => {
    function* cells() {
      for (const [turn, { name, operation, path, input }] of writesWithTexts().entries())
        for (const unit of ['1_', UNITS[turn % UNITS.length] ?? 'a']) {
          const body = withText(input, path, repeated(unit, MAX_TEXT))
          const send = () => rest(operation.method, operation.path, world.adminToken, body)
          yield { name: `${name} ${path.join('.')}: ${MAX_TEXT} × ${JSON.stringify(unit)}`, send }
        }
    }
    expectCheap('texts that are too long', await measure(cells()))
  },
  MS,
)

test(
  'long texts of callers who may do nothing there',
  async () => {
    function* cells() {
      for (const { name, operation, path, input, max } of writesWithTexts()) {
        if (max <= SHORT) continue
        const body = withText(input, path, repeated('a', max))
        for (const token of [place.tokens.stranger, place.tokens.auditor, place.tokens.ofAppEnv])
          yield { name: `${name} ${path.join('.')}`, send: () => rest(operation.method, operation.path, token, body) }
      }
    }
    expectCheap('callers without the permission', await measure(cells()))
  },
  MS,
)

test(
  'every text of every read',
  async () => {
    function* cells() {
      let turn = 0
      for (const route of routes) {
        if (!('read' in route)) continue
        const found = CASES[route.read.name]
        const query = found?.query?.(place) ?? {}
        const { properties = {} } = z.toJSONSchema(route.read.query, { io: 'input', unrepresentable: 'any' })
        for (const [field, schema] of Object.entries(properties)) {
          const max = maxLengthAt(schema as JsonSchema, [])
          if (max === 0) continue
          turn += 1
          // Longer than the head of a request may be over HTTP, and no longer than by MCP.
          for (const text of textsFor(Math.min(max, MAX_TEXT), turn)) {
            const send = () => read(route.path, { ...query, [field]: text })
            yield { name: `GET ${route.path} ${field}: ${shown(text)}`, send }
          }
        }
        const asked = found?.field(place) ?? ''
        for (const [quoted] of asked.matchAll(/"[^"]*"/g)) {
          turn += 1
          for (const text of textsFor(MAX_TEXT, turn)) {
            const document = `{ read: ${asked.replace(quoted, () => JSON.stringify(text))} }`
            yield { name: `${asked.split('(')[0]}: ${shown(text)}`, send: () => graphql(document) }
            if (turn % 20 !== 0) break
          }
        }
      }
    }
    expectCheap('reads', await measure(cells()))
  },
  MS,
)

test(
  'every place of a compose file that a variable fills',
  async () => {
    const places = [
      'image: "*"',
      'command: "*"',
      'command: ["*"]',
      'entrypoint: "*"',
      'environment: {X: "*"}',
      'environment: {DB_HOST: "*"}',
      'environment: ["X=*"]',
      'ports: ["*"]',
      'expose: ["*"]',
      'volumes: ["*"]',
      'volumes: [{type: volume, source: "*", target: "*"}]',
      'depends_on: ["*"]',
      'healthcheck: {test: "*"}',
      'healthcheck: {test: [CMD, "*"]}',
      'healthcheck: {test: a, interval: "*"}',
      'healthcheck: {test: a, retries: "*"}',
      'scale: "*"',
      'labels: {a: "*"}',
      'environment: {DSN: "host=db *"}',
      'environment: {DATABASE_URL: "postgres://a:b@db/*"}',
      'tmpfs: ["/a:*"]',
      'mem_limit: "*"',
      'stop_grace_period: "*"',
      'hostname: "*"',
      'user: "*"',
      'links: ["*"]',
      'restart: "*"',
      'cap_drop: ["*"]',
      'ulimits: {nofile: "*"}',
      'networks: {a: {aliases: ["*"]}}',
      'ports: [{target: "*", published: "*", host_ip: "*"}]',
    ]
    const uses = '$A'.repeat(MAX_FILLED / MAX_VARIABLE - 1)
    function* cells() {
      for (const place of places)
        for (const unit of UNITS) {
          const compose = `services:\n  a: {image: nginx, ${place.replaceAll('*', uses)}}\n  db: {image: "postgres:17"}\n`
          // Without an end: together they are one text.
          const A = unit.repeat(Math.ceil(MAX_VARIABLE / unit.length)).slice(0, MAX_VARIABLE)
          yield { name: `${place}: ${shown(A)}`, send: async () => importCompose(compose, { A }) }
        }
    }
    expectCheap('variables of compose files', await measure(cells()))
  },
  MS,
)
