import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobRunStatus } from '../../src/domain/job-run.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { installCompose } from '../../src/services/solution/install-compose.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { createSolutionWorld, type SolutionWorld } from './solution-world.ts'

/** A site that waits for its migration, which waits for its database. */
const COMPOSE = `
services:
  web:
    image: shop:1
    ports: ["80:8080"]
    depends_on: { migrate: { condition: service_completed_successfully } }
  migrate: { image: "shop:1", command: [migrate, --all], depends_on: [db] }
  db: { image: "postgres:17", environment: { POSTGRES_PASSWORD: canary-of-compose } }
`

let here: SolutionWorld
let world: SolutionWorld['world']

beforeAll(async () => {
  here = await createSolutionWorld()
  world = here.world
})
afterAll(() => world.close())

const requestOf = (fields: Record<string, unknown> = {}) => {
  const { solutionSlug: _slug, inputs: _inputs, ...place } = here.request(fields)
  return { ...place, compose: COMPOSE, variables: {} }
}

const runsOf = async (id: string) => {
  const component = (await here.installationOf(id)).components.find(({ key }) => key === 'migrate')
  return world.database.jobRun.findMany({ where: { appEnvId: component?.appEnvId ?? '' }, orderBy: { id: 'asc' } })
}

/** Ends what is being deployed, as a worker would. */
async function endDeployment(id: string, key: string): Promise<void> {
  const component = (await here.installationOf(id)).components.find((one) => one.key === key)
  await world.endOperation(component?.operationId ?? null)
  await advanceInstallations(world)
}

async function endRun(id: string, status: JobRunStatus): Promise<void> {
  const run = (await runsOf(id)).at(-1)
  const ended = { status, reason: status === 'FAILED' ? 'EXIT_CODE' : null, finishedAt: new Date() }
  await world.database.jobRun.update({ where: { id: run?.id ?? '' }, data: ended })
  await advanceInstallations(world)
}

test('a component that is a job runs once, between what it needs and what waits for it', async () => {
  const { installationId: id } = await world.perform(installCompose, requestOf())
  expect(await here.statesOf(id)).toEqual({ db: 'DEPLOYING', migrate: 'PENDING', web: 'PENDING' })
  await endDeployment(id, 'db')
  expect(await here.statesOf(id)).toEqual({ db: 'READY', migrate: 'DEPLOYING', web: 'PENDING' })
  expect(await runsOf(id)).toEqual([])
  await endDeployment(id, 'migrate')
  const [run] = await runsOf(id)
  expect(run).toMatchObject({
    status: 'QUEUED',
    trigger: 'API',
    snapshot: { command: null, args: ['migrate', '--all'] },
  })
  // However often workers look.
  await Promise.all([1, 2, 3].map(() => advanceInstallations(world)))
  expect(await runsOf(id)).toHaveLength(1)
  expect(await here.statesOf(id)).toMatchObject({ migrate: 'DEPLOYING', web: 'PENDING' })
  await endRun(id, 'SUCCEEDED')
  expect(await here.statesOf(id)).toEqual({ db: 'READY', migrate: 'READY', web: 'DEPLOYING' })
  await endDeployment(id, 'web')
  expect(await here.installationOf(id)).toMatchObject({ status: 'INSTALLED' })
  expect(await runsOf(id)).toHaveLength(1)
})

test('a job that fails leaves what waits for it alone, and runs again when the installation is resumed', async () => {
  const request = requestOf()
  const { installationId: id } = await world.perform(installCompose, request)
  await endDeployment(id, 'db')
  await endDeployment(id, 'migrate')
  await endRun(id, 'FAILED')
  expect(await here.installationOf(id)).toMatchObject({
    status: 'INCOMPLETE',
    components: [{ state: 'READY' }, { key: 'migrate', state: 'FAILED', reason: 'EXIT_CODE' }, { state: 'PENDING' }],
  })
  await world.perform(installCompose, { ...request, installationId: id })
  await endDeployment(id, 'migrate')
  await endRun(id, 'SUCCEEDED')
  await endDeployment(id, 'web')
  expect(await here.installationOf(id)).toMatchObject({ status: 'INSTALLED' })
  expect(await runsOf(id)).toHaveLength(2)
})

test('a resumed call that waits is told what is incomplete, also when nothing could be begun', async () => {
  const request = here.request({ solutionSlug: 'verdaccio' })
  const { installationId } = await here.install(request)
  await here.finish(installationId, ['app'])
  // Every deployment was refused at once, so there is no operation to wait for.
  const nothing = { installationId, components: [], appIds: [], appEnvIds: [], operationIds: [] }
  const refused = { ...installSolution, execute: async () => nothing }
  const resumed = { ...request, installationId }
  await expect(world.perform(refused, resumed, { waitSeconds: 5 })).rejects.toMatchObject({
    code: 'INSTALLATION_INCOMPLETE',
    details: { installation: { installationId } },
  })
  expect(await world.perform(refused, resumed)).toMatchObject({ installationId, operationIds: [] })
})

test('what a compose file holds in secret is in no row, event or audit entry', async () => {
  const request = requestOf({ appName: 'Secrets' })
  const compose = COMPOSE.replace('image: shop:1', 'image: shop:1\n    environment: { API_TOKEN: canary-of-compose }')
  const { installationId } = await world.perform(installCompose, { ...request, compose })
  const shown = JSON.stringify(
    [
      await world.database.solutionInstallation.findMany({ include: { components: true } }),
      await world.database.$queryRaw`SELECT payload::text FROM event`,
      await world.database.$queryRaw`SELECT details::text FROM audit_entry`,
      await world.database.variable.findMany(),
      await world.database.content.findMany(),
    ],
    (_key, value) => (typeof value === 'bigint' ? String(value) : value),
  )
  expect(shown).toContain(installationId)
  expect(shown).not.toContain('canary-of-compose')
})
