import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine, EngineSetting } from '../../src/app-types/engines/engine.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

// Every bound of every engine, from its declaration: one below and one above are refused with field and bound, at both
// of them an environment is created. Dry runs: the whole request, and nothing stays.

let world: World
let served: Served

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  console.info(`${count.refused} values refused and ${count.accepted} accepted, each through both APIs`)
  await served?.close()
  await world?.close()
})

const count = { refused: 0, accepted: 0 }

interface Problem {
  field: string
  message: string
}

type Input = Record<string, unknown>

/** The problems of the input; null when it is accepted. */
type Call = (input: Input) => Promise<Problem[] | null>

const send = async (path: string, body: object) => {
  const headers = { authorization: world.adminToken, 'content-type': 'application/json' }
  return served.app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const byRest: Call = async (input) => {
  const response = await send('/api/public/v1/app-env?dryRun=true', input)
  const body = (await response.json()) as { errors?: Problem[] }
  expect([200, 400], JSON.stringify(body)).toContain(response.status)
  return response.ok ? null : (body.errors ?? [])
}

const byGraphQL: Call = async (input) => {
  const query = 'mutation ($input: CreateAppEnvInput!) { createAppEnv(input: $input) { __typename } }'
  const response = await send('/graphql', { query, variables: { input: { ...input, dryRun: true } } })
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string; fields?: Problem[] } }[] }
  if (!errors) return null
  expect(errors[0]?.extensions.code, JSON.stringify(errors)).toBe('INVALID_INPUT')
  return errors[0]?.extensions.fields ?? []
}

interface Rule {
  field: string
  /** What is refused, and what the refusal says. */
  wrong: readonly (readonly [value: unknown, says: string])[]
  /** The first and the last that is accepted. */
  ends: readonly [unknown, unknown]
}

/** The nearest of what is not accepted, and the bound that it breaks. */
const range = (field: string, { min, max }: { min: number; max: number }, step: number): Rule => ({
  field,
  ends: [min, max],
  wrong: [
    [min - step, `${min}`],
    [max + step, `${max}`],
  ],
})

function ruleOf(setting: EngineSetting): Rule {
  const field = `databaseSettings.${setting.name}`
  switch (setting.type) {
    case 'INTEGER':
      return range(field, setting, 1)
    case 'NUMBER':
      return range(field, setting, 0.001)
    case 'BOOLEAN':
      return { field, ends: [false, true], wrong: [['maybe', 'must be true or false']] }
    case 'ENUM': {
      const { options } = setting
      return { field, ends: [options[0], options.at(-1)], wrong: [['other', `must be one of ${options.join(', ')}`]] }
    }
  }
}

const rulesOf = ({ limits, settings }: Engine): Rule[] => [
  range('disk', limits.diskMb, 1),
  range('containers', limits.containers, 1),
  ...settings.map(ruleOf),
]

/** Fields, by dotted path below databaseSettings, as they are sent. */
function sent(values: readonly (readonly [field: string, value: unknown])[]): Input {
  const input: Input & { databaseSettings: Input } = { databaseSettings: {} }
  for (const [field, value] of values) {
    const setting = /^databaseSettings\.(.+)$/.exec(field)?.[1]
    if (setting === undefined) input[field] = value
    else input.databaseSettings[setting] = value
  }
  return input
}

const newApp = async ({ name: dockerPreset }: Engine): Promise<Input> => {
  const { accountId } = world
  const { appId } = await world.perform(createApp, { name: `A ${dockerPreset}`, accountId, dockerPreset })
  return { accountId, appId, name: 'production', region: 'local' }
}

describe.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s', (_name, engine) => {
  const rules = rulesOf(engine)

  test('has bounds that both APIs hold', { timeout: 240_000 }, async () => {
    const appEnv = await newApp(engine)
    for (const call of [byRest, byGraphQL]) {
      for (const { field, wrong } of rules)
        for (const [value, says] of wrong) {
          const problems = await call({ ...appEnv, ...sent([[field, value]]) })
          expect(problems, `${field} = ${value}`).toEqual([{ field, message: expect.stringContaining(says) }])
          if (call === byRest) count.refused += 1
        }
      for (const end of [0, 1] as const) {
        const all = rules.map(({ field, ends }) => [field, ends[end]] as const)
        expect(await call({ ...appEnv, ...sent(all) }), `all at ${end === 0 ? 'min' : 'max'}`).toBeNull()
        if (call === byRest) count.accepted += all.length
      }
    }
  })
})
