// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables that refer to others
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../src/api/rest/routes.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { MASK } from '../../src/domain/mask.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { changeVariables, deleteVariable, setVariables } from '../../src/services/app-env/variable-commands.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { readSolution } from '../../src/solutions/solution.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { callGraphQL, callRest } from './apis.ts'
import { readRest } from './read-apis.ts'

// What a program can read is taken, also what no shell could export.
const TAKEN = [
  'discovery.type',
  'spring.datasource.url',
  'ES_JAVA-OPTS',
  '1-KEY',
  'größe',
  'a b',
  '__proto__',
  'x'.repeat(200),
]
const REFUSED = ['', 'KEY=1', '=', 'A\0', 'A\nB', 'A\tB', '\u007f', '\ud800', 'x'.repeat(201)]
const NOT_FOR_BUILDS = TAKEN.filter((name) => name !== '__proto__' && !name.startsWith('xxx'))

let world: World
let served: Served
let appEnvId: string
let created = 0

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  appEnvId = (await world.appEnv()).appEnvId
  await world.deploy(appEnvId)
})

afterAll(async () => {
  await served.close()
  await world.close()
})

const one = (name: string, more: object = {}) => [{ name, value: 'v', ...more }]
const run = { command: 'true' }

/** Every call that takes names of variables, with the field that holds it. */
const PLACES: readonly [AnyCommand, field: string, input: (name: string) => object][] = [
  [createAppEnv, 'envVars.0.name', (name) => ({ ...newEnv(), envVars: one(name) })],
  [updateAppEnv, 'envVars.0.name', (name) => ({ appEnvId, envVars: one(name) })],
  [setVariables, 'variables.0.name', (name) => ({ appEnvId, variables: one(name) })],
  [changeVariables, 'variables.0.name', (name) => ({ appEnvId, variables: one(name) })],
  [deleteVariable, 'name', (name) => ({ appEnvId, name })],
  [createJobRun, 'envVars.0.name', (name) => ({ appEnvId, ...run, envVars: one(name) })],
]

let appId: string
const newEnv = () => {
  created += 1
  return { accountId: world.accountId, appId, name: `env ${created}`, region: 'local' }
}

beforeAll(async () => {
  appId = (await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).appId
})

test('no other call takes names of variables', () => {
  const takers = routes.flatMap((route) =>
    'command' in route && takesVariables(route.command.input) ? [route.command.name] : [],
  )
  expect([...new Set([...takers, 'deleteVariable'])].sort()).toEqual(PLACES.map(([{ name }]) => name).sort())
})

/** By its JSON schema: a list of objects that have a name and a value. */
function takesVariables(input: z.ZodType): boolean {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as { properties?: object }
  return Object.values(properties).some((field: { items?: { properties?: object } }) => {
    const item = field.items?.properties ?? {}
    return 'name' in item && 'value' in item
  })
}

describe.each([
  ['REST', callRest],
  ['GraphQL', callGraphQL],
] as const)('names of variables over %s', (_api, call) => {
  const send = (command: AnyCommand, input: object) => call(served.app, world.adminToken, { command, input } as never)

  describe.each(PLACES)('$name', (command, field, inputOf) => {
    test.each(TAKEN)('%j is taken', async (name) => {
      if (command === deleteVariable) await send(setVariables, { appEnvId, variables: one(name) })
      expect(await send(command, inputOf(name))).toEqual({ accepted: true })
    })

    // A URL cannot carry what is no text.
    const sendable = REFUSED.filter((name) => command !== deleteVariable || name.isWellFormed())
    test.each(sendable)('%j is refused', async (name) => {
      expect(await send(command, inputOf(name))).toMatchObject({
        accepted: false,
        code: 'INVALID_INPUT',
        fields: [field],
      })
    })
  })

  test.each(NOT_FOR_BUILDS)('%j is refused for builds, by its place', async (name) => {
    for (const type of ['BUILD', 'BOTH'])
      for (const [command, field] of [
        [setVariables, 'variables'],
        [changeVariables, 'variables'],
        [updateAppEnv, 'envVars'],
      ] as const)
        expect(await send(command, { appEnvId, [field]: one(name, { type }) })).toMatchObject({
          code: 'INVALID_INPUT',
          fields: [`${field}.0.name`],
        })
  })
})

test('values, secrets and references hold with such names', async () => {
  const variables = [
    { name: 'discovery.type', value: 'single-${NODES}' },
    { name: 'NODES', value: 'node' },
    { name: 'a-secret.key', value: 's3cret', isSecret: true },
    // Programs have such a syntax themselves.
    { name: 'spring.datasource.url', value: '${discovery.type}' },
  ]
  await world.perform(setVariables, { appEnvId, variables })
  await world.perform(changeVariables, { appEnvId, variables: [{ name: 'discovery.type', value: 'x${NODES}' }] })
  const { body } = await readRest(served, world.adminToken, 'getAppEnv', { appEnvId })
  const shown = Object.fromEntries(
    body.envVars.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
  expect(shown).toEqual({
    'discovery.type': 'x${NODES}',
    NODES: 'node',
    'a-secret.key': MASK,
    'spring.datasource.url': '${discovery.type}',
  })
  const fields = body.pendingChanges.map(({ field }: { field: string }) => field)
  expect(fields).toContain('envVars.spring.datasource.url')
})

test.each([...TAKEN.map((name) => [name, true] as const), ...REFUSED.map((name) => [name, false] as const)])(
  'a component of a solution has a variable %j: %s',
  (name, isTaken) => {
    const component = {
      key: 'app',
      name: 'App',
      isMain: true,
      dockerPreset: 'CUSTOM',
      image: 'app:1',
      variables: Object.fromEntries([[name, 'v']]),
    }
    const { solution } = readSolution({
      slug: 'one',
      name: 'One',
      description: 'One',
      category: 'DEVELOPMENT',
      revision: 1,
      components: [component],
    } as never)
    if (name !== '__proto__') expect(solution !== null).toBe(isTaken)
  },
)
