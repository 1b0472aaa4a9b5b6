import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appTypes } from '../../src/app-types/app-types.ts'
import { engineOfPreset } from '../../src/app-types/presets.ts'
import { typeNamed } from '../../src/app-types/wire-names.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { type ApiCall, callGraphQL, callRest } from '../parity/apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let served: Served
let cells = 0

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
  console.info(`An app type never turns into another: ${cells} cells`)
})

const presets = appTypes().flatMap((type) => type.presets)
const isService = (preset: string) => engineOfPreset(preset) !== null

/** What an app of the preset must never become: one of another type, and no service another service. */
const othersOf = (from: string) =>
  presets.filter(({ name: to }) => typeNamed(from) !== typeNamed(to) || (from !== to && isService(from)))

/** A version of the preset. */
function versionOf({ name, ...preset }: (typeof presets)[number]): string {
  if (preset.kind === 'ENGINE') return `${name}_${preset.engine.defaultVersion}`
  if (preset.kind === 'BUILD') return `${name}_${preset.build.versions[0]}`
  return `${name}_${preset.kind === 'VERSIONED' ? preset.versions[0] : 22}`
}

const newApp = (preset: string) =>
  world.app({
    dockerPreset: preset,
    ...(isService(preset) ? { port: undefined, useImage: undefined, image: undefined } : {}),
  })

/** Each call that is answered otherwise than by 400 about the field. */
async function wrongAnswers(call: ApiCall, command: AnyCommand, inputs: readonly Record<string, unknown>[]) {
  const wrong: unknown[] = []
  for (const input of inputs) {
    cells += 1
    const outcome = await call(served.app, world.adminToken, { command, input })
    const isRefused = !outcome.accepted && outcome.code === 'INVALID_INPUT' && outcome.fields[0]?.startsWith('docker')
    if (!isRefused) wrong.push([input, outcome])
  }
  return wrong
}

const APIS: readonly [string, ApiCall][] = [
  ['REST', callRest],
  ['GraphQL', callGraphQL],
]

describe.each(presets.map(({ name }) => name))('an app of the preset %s', (from) => {
  test.each(APIS)('becomes none of another type or service over %s', async (_api, call) => {
    const appId = await newApp(from)
    const before = await world.database.app.findUniqueOrThrow({ where: { id: appId } })
    const inputs = othersOf(from).flatMap((to) => [
      { appId, dockerPreset: to.name },
      { appId, dockerPreset: to.name, dockerPresetVersion: versionOf(to), applyImmediately: true },
    ])
    expect(await wrongAnswers(call, updateApp, inputs)).toEqual([])
    expect(await world.database.app.findUniqueOrThrow({ where: { id: appId } })).toEqual(before)
  })

  test.each(APIS)('has environments that take no version of another preset over %s', async (_api, call) => {
    const { appEnvId } = await world.appEnv({ appId: await newApp(from) })
    const inputs = presets
      .filter(({ name }) => name !== from)
      .map((to) => ({ appEnvId, dockerPresetVersion: versionOf(to) }))
    const before = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    expect(await wrongAnswers(call, updateAppEnv, inputs)).toEqual([])
    expect(await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).toEqual(before)
  })
})
