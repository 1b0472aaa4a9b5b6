import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installCompose } from '../../src/services/solution/install-compose.ts'
import { createSolutionWorld, type SolutionWorld } from './solution-world.ts'

const compose = readFileSync(join(import.meta.dirname, '../compose/files/django-celery.yml'), 'utf8')

let here: SolutionWorld
let world: SolutionWorld['world']

beforeAll(async () => {
  here = await createSolutionWorld()
  world = here.world
})
afterAll(() => world.close())

const request = () => {
  const { solutionSlug: _slug, inputs: _inputs, ...place } = here.request()
  return { ...place, appName: 'Shop', compose, variables: { SECRET_KEY: 'canary-key' } }
}

interface Planned {
  key: string
  [field: string]: unknown
}

test('a dry run is a plan that a person can check', async () => {
  const answer = await world.perform(installCompose, request(), { dryRun: true })
  const { changes } = answer as unknown as { changes: { inputs: string[]; plan: Planned[]; noEffect: string[] } }
  const of = (key: string) => changes.plan.find((one) => one.key === key)
  expect(of('web')).toMatchObject({
    name: 'web',
    appName: 'Shop',
    image: 'registry.example.com/shop/web:2.4.1',
    port: 8000,
    size: { cpu: 1, memoryMb: 512 },
    containers: 1,
    hosts: [expect.stringContaining('shop')],
    volume: { path: '/app/media', disk: 10_240 },
    networkAliases: ['web'],
    variables: expect.arrayContaining(['DB_HOST', 'SECRET_KEY']),
    dependsOn: ['db', 'redis'],
  })
  expect(of('worker')).toMatchObject({
    port: null,
    size: { cpu: 0.5, memoryMb: 1024 },
    containers: 2,
    hosts: [],
    containerSettings: { stopGraceSeconds: 90 },
  })
  expect(of('db')).toMatchObject({ dockerPreset: 'POSTGRESQL', image: null, networkAliases: ['db'] })
  expect(changes.inputs).toEqual(['webSecretKey', 'workerSecretKey', 'beatSecretKey', 'migrateSecretKey'])
  expect(changes.noEffect).toContain('services.db.volumes: the managed service has a volume of its own')
  expect(JSON.stringify(answer)).not.toContain('canary')
})

test('what a file says of size and command reaches the environment', async () => {
  const { components } = await world.perform(installCompose, request())
  const appEnvId = components.find(({ key }) => key === 'worker')?.appEnvId ?? ''
  expect(await world.database.appEnv.findUnique({ where: { id: appEnvId } })).toMatchObject({
    cpu: 0.5,
    memoryMb: 1024,
    zClouds: 2,
    containers: 2,
    startupConfig: { command: null, args: ['celery', '-A', 'shop', 'worker', '--loglevel=info'], shell: false },
  })
})
