import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { upgradeInstallation } from '../../src/services/solution/upgrade-installation.ts'
import { defineSolution, type Solution, type SolutionSource } from '../../src/solutions/solution.ts'
import { SOLUTIONS } from '../../src/solutions/solutions.ts'
import { createSolutionWorld, type SolutionWorld } from './solution-world.ts'

type Source = SolutionSource['components'][number]

const app: Source = {
  key: 'app',
  name: 'App',
  isMain: true,
  dockerPreset: 'CUSTOM',
  image: 'sample/app:1.0',
  port: 8080,
  dependsOn: ['db'],
  volume: { path: '/data', disk: 1024 },
  variables: { KEPT: 'same', MODE: 'slow', OLD: 'gone soon', DATABASE: '{{db.internalUrl}}', KEY: '{{inputs.key}}' },
}
const db: Source = { key: 'db', name: 'Database', dockerPreset: 'POSTGRESQL', dockerPresetVersion: 'POSTGRESQL_17' }
const metrics: Source = {
  key: 'metrics',
  name: 'Metrics',
  dockerPreset: 'CUSTOM',
  image: 'sample/metrics:1.0',
  port: 9090,
}
const key = { name: 'key', label: 'Key', type: 'STRING' as const, secret: true, generated: 24 }

const sample = (changes: Partial<SolutionSource>) =>
  defineSolution({
    slug: 'sample',
    name: 'Sample',
    description: 'A sample.',
    category: 'CONTENT',
    revision: 1,
    inputs: [key],
    components: [db, app, metrics],
    smokeTest: { component: 'app', path: '/', status: 200 },
    ...changes,
  })

const search: Source = { ...metrics, key: 'search', name: 'Search', image: 'sample/search:1.0', dependsOn: ['app'] }
const next = (changes: Partial<SolutionSource> = {}) =>
  sample({
    revision: 2,
    inputs: [key, { name: 'title', label: 'Title', type: 'STRING', required: true }],
    components: [
      { ...db, dockerPresetVersion: 'POSTGRESQL_18' },
      {
        ...app,
        image: 'sample/app:2.0',
        healthCheckPath: '/ready',
        variables: {
          KEPT: 'same',
          MODE: 'fast',
          TITLE: '{{inputs.title}}',
          DATABASE: '{{db.host}}',
          KEY: '{{inputs.key}}',
        },
      },
      search,
    ],
    ...changes,
  })

let here: SolutionWorld
let world: SolutionWorld['world']
const catalogue = SOLUTIONS as Solution[]

/** The catalogue has this revision of the sample. */
function publish(solution: Solution): void {
  unpublish()
  catalogue.push(solution)
}

function unpublish(): void {
  const at = catalogue.findIndex(({ slug }) => slug === 'sample')
  if (at >= 0) catalogue.splice(at, 1)
}

beforeAll(async () => {
  here = await createSolutionWorld()
  world = here.world
})
afterAll(async () => {
  unpublish()
  await world.close()
})
beforeEach(() => publish(sample({})))

async function installed() {
  const answer = await here.install(here.request({ solutionSlug: 'sample' }))
  await here.finish(answer.installationId)
  const idOf = (wanted: string) => {
    const found = answer.components.find((one) => one.key === wanted)
    if (!found) throw new Error(`No component ${wanted}`)
    return found
  }
  return { ...answer, idOf }
}

interface Upgraded {
  revision: number
  changed: string[]
  kept: string[]
}

const upgrade = (installationId: string, inputs: Record<string, unknown> = { title: 'News' }) =>
  world.perform(upgradeInstallation, { installationId, inputs }) as unknown as Promise<Upgraded>

async function pendingOf(appEnvId: string): Promise<string[]> {
  const caller = await world.services.authenticate(world.adminToken)
  const { pendingChanges } = await world.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
  return pendingChanges.changes.map(({ field }) => field).sort()
}

describe('an upgrade', () => {
  test('leaves pending changes, deploys what is new, and keeps what runs', async () => {
    const { installationId, idOf } = await installed()
    const before = await here.counts()
    publish(next())
    const answer = await upgrade(installationId)
    expect(answer).toMatchObject({ revision: 2, kept: ['metrics is no longer part of the solution, and stays'] })
    expect([...answer.changed].sort()).toEqual([
      'app: DATABASE',
      'app: MODE',
      'app: OLD',
      'app: TITLE',
      'app: healthCheckPath',
      'app: image',
      'search is new',
    ])
    expect(await pendingOf(idOf('app').appEnvId)).toEqual([
      'envVars.DATABASE',
      'envVars.MODE',
      'envVars.OLD',
      'envVars.TITLE',
      'healthCheckPath',
      'image',
    ])
    expect(await pendingOf(idOf('db').appEnvId)).toEqual([])
    // Nothing that ran was deployed anew; the new component was.
    const after = await here.counts()
    expect(after).toMatchObject({ apps: before.apps + 1, operations: before.operations + 1 })
    expect(await here.going(installationId)).toEqual(['search'])
    await here.finish(installationId)
    expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED', revision: 2 })
    await expect(upgrade(installationId)).rejects.toMatchObject({ reason: 'ALREADY_CURRENT' })
  })

  test('keeps what somebody has changed, and says so', async () => {
    const { installationId, idOf } = await installed()
    const { appId, appEnvId } = idOf('app')
    const appEnv = await world.database.appEnv.findUniqueOrThrow({
      where: { id: appEnvId },
      include: { variables: true, account: true },
    })
    const vault = world.vault.forAccount(appEnv.account)
    const envVars = appEnv.variables.map((row) => ({ name: row.name, value: vault.openVariable(row) }))
    const mine = envVars.map((one) => (one.name === 'MODE' ? { ...one, value: 'my own' } : one))
    await world.perform(updateAppEnv, { appEnvId, envVars: [...mine, { name: 'ADDED', value: 'by hand' }] })
    await world.perform(updateApp, { appId, image: 'mine/app:9' })
    publish(next())
    const { kept } = await upgrade(installationId)
    expect([...kept].sort()).toEqual([
      'app: MODE',
      'app: image',
      'metrics is no longer part of the solution, and stays',
    ])
    const after = await world.database.appEnv.findUniqueOrThrow({
      where: { id: appEnvId },
      include: { variables: true },
    })
    const values = Object.fromEntries(after.variables.map((row) => [row.name, vault.openVariable(row)]))
    expect(values).toMatchObject({ MODE: 'my own', ADDED: 'by hand', KEPT: 'same', TITLE: 'News' })
    expect(values).not.toHaveProperty('OLD')
    expect(after.pendingImage).toBe('mine/app:9')
    // The random key is the one that it was installed with.
    expect(values.KEY).toBe(envVars.find(({ name }) => name === 'KEY')?.value)
  })

  test('asks only for inputs that are new', async () => {
    const { installationId } = await installed()
    publish(next())
    const before = await here.counts()
    await expect(upgrade(installationId, {})).rejects.toMatchObject({
      details: { fields: [{ field: 'inputs.title', message: 'is required' }] },
    })
    expect(await here.counts()).toEqual(before)
  })

  test.each([
    [
      'another preset',
      { ...db, dockerPreset: 'MYSQL', dockerPresetVersion: 'MYSQL_8_4' },
      app,
      /db was POSTGRESQL and is MYSQL/,
    ],
    [
      'a volume elsewhere',
      db,
      { ...app, volume: { path: '/other', disk: 1024 } },
      /app would lose its volume at \/data/,
    ],
  ] as const)('to %s is refused, and changes nothing', async (_what, otherDb, otherApp, message) => {
    const { installationId, idOf } = await installed()
    publish(sample({ revision: 2, components: [otherDb, { ...otherApp, image: 'sample/app:2.0' }, metrics] }))
    await expect(upgrade(installationId, {})).rejects.toMatchObject({
      reason: 'UPGRADE_REFUSED',
      message: expect.stringMatching(message),
    })
    expect(await pendingOf(idOf('app').appEnvId)).toEqual([])
    expect(await here.installationOf(installationId)).toMatchObject({ revision: 1 })
  })

  test('of one that goes on is refused', async () => {
    const { installationId } = await here.install(here.request({ solutionSlug: 'sample' }))
    publish(next())
    await expect(upgrade(installationId)).rejects.toMatchObject({ reason: 'INSTALLATION_UNFINISHED' })
  })
})

test('an incomplete installation is resumed with the revision that it began with', async () => {
  const input = here.request({ solutionSlug: 'sample' })
  const { installationId, appEnvIds } = await here.install(input)
  await here.finish(installationId, ['app'])
  publish(next())
  await here.install({ ...input, installationId })
  await here.finish(installationId)
  await advanceInstallations(world)
  expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED', revision: 1 })
  const [content] = await world.database.content.findMany({ where: { appEnvId: appEnvIds[2] ?? '' } })
  expect(content?.image).toMatch(/^sample\/(app|metrics):1\.0$/)
})
