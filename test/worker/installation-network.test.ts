import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { install } from '../../src/services/solution/install.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import { readSolution } from '../../src/solutions/solution.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

// Two installations in one account, each with a service that its others call `db`.

/** Answers with what it was told to find: its own name, or what `db` says. */
const NAMES = `
  require('node:http').createServer((_, response) => response.end(process.env.BERTH_ENV_NAME)).listen(3000)
  process.on('SIGTERM', () => process.exit(0))`
const ASKS = `
  const { createServer, get } = require('node:http')
  createServer((_, response) => {
    get('http://db:3000/', (answer) => answer.pipe(response)).on('error', ({ code }) => response.end(code))
  }).listen(3000)
  process.on('SIGTERM', () => process.exit(0))`
const PRINTS = `require('node:http').get('http://db:3000/', (answer) => answer.on('data', (name) => console.log(String(name))))`

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour()
  harbour.startWorker()
})
afterAll(() => harbour?.close())

const part = (key: string, program: string, more: object) => ({
  key,
  name: key,
  dockerPreset: 'CUSTOM',
  image: harbour.image,
  port: 3000,
  startupConfig: { command: 'node', args: ['-e', program] },
  ...more,
})

async function installed(appName: string) {
  const { solution, messages } = readSolution({
    slug: 'two-parts',
    name: 'Two parts',
    description: 'A service, and what asks it by its name.',
    category: 'DEVELOPMENT',
    revision: 1,
    components: [
      part('db', NAMES, { networkAliases: ['db', 'store_1'] }),
      part('web', ASKS, {
        isMain: true,
        dependsOn: ['db'],
        networkAliases: [],
        containerSettings: { readOnlyRoot: true, stopGraceSeconds: 7 },
      }),
      part('apart', ASKS, {}),
    ],
  })
  if (!solution) throw new Error(messages.join('\n'))
  const inlined: typeof installSolution = {
    ...installSolution,
    execute: (context, input, target) =>
      install(context, { ...input, identity: [appName], inputs: {} }, { ...target, solution }),
  }
  const input = { accountId: harbour.accountId, solutionSlug: 'two-parts', appName, region: 'local' }
  const { installationId } = await harbour.perform(inlined, input)
  const { components } = await eventually(
    () =>
      harbour.database.solutionInstallation.findUniqueOrThrow({
        where: { id: installationId },
        include: { components: true },
      }),
    ({ status }) => status !== 'INSTALLING',
  )
  expect(components.map(({ state, message }) => [state, message])).toEqual(components.map(() => ['READY', null]))
  const envIdOf = (key: string) => components.find((one) => one.key === key)?.appEnvId ?? ''
  return { installationId, db: envIdOf('db'), web: envIdOf('web'), apart: envIdOf('apart') }
}

async function answerOf(appEnvId: string): Promise<string> {
  const { replicas } = await harbour.appEnvRow(appEnvId)
  const answer = await fetch(`http://${replicas[0]?.address}:${replicas[0]?.port}/`)
  return answer.text()
}

const networks = async () => {
  const { id } = await harbour.database.installation.findFirstOrThrow()
  const found = await harbour.docker.listNetworks({ filters: { label: [`berth.installation=${id}`] } })
  return found.map(({ Labels }) => Labels?.['berth.group'] ?? Labels?.['berth.account']).sort()
}

test('each installation reaches its own service by its name, runs too, and its network goes with it', async () => {
  const [one, other] = [await installed('One'), await installed('Other')]
  for (const { db, web, apart, installationId } of [one, other]) {
    const { cliEnvName, networkGroup, networkAliases } = await harbour.appEnvRow(db)
    expect({ networkGroup, networkAliases }).toEqual({
      networkGroup: installationId,
      networkAliases: ['db', 'store_1'],
    })
    expect(await answerOf(web)).toBe(cliEnvName)
    // One that declares no aliases is on the account's network alone.
    expect(await answerOf(apart)).toMatch(/ENOTFOUND|EAI_AGAIN/)
    expect(await harbour.appEnvRow(apart)).toMatchObject({ networkGroup: null, networkAliases: [] })
    const run = { command: 'node', args: ['-e', PRINTS], shell: false }
    const { jobRunId } = await harbour.perform(createJobRun, { appEnvId: web, ...run })
    const ended = await eventually(
      () => harbour.database.jobRun.findUniqueOrThrow({ where: { id: jobRunId }, include: { attempts: true } }),
      ({ finishedAt }) => finishedAt !== null,
    )
    expect(ended).toMatchObject({ status: 'SUCCEEDED' })
    const printed = await harbour.database.logLine.findMany({ where: { message: cliEnvName } })
    expect(printed.length).toBeGreaterThan(0)
  }
  const [container] = await harbour.containersOf(one.web)
  const { HostConfig, Config } = await harbour.docker.getContainer(container?.Id ?? '').inspect()
  expect([HostConfig, Config]).toMatchObject([{ ReadonlyRootfs: true }, { StopTimeout: 7 }])

  expect(await networks()).toEqual([harbour.accountId, one.installationId, other.installationId].sort())
  await harbour.perform(removeInstallation, { installationId: one.installationId })
  await eventually(networks, (present) => present.length === 2)
  expect(await networks()).toEqual([harbour.accountId, other.installationId].sort())
  expect(await answerOf(other.web)).toBe((await harbour.appEnvRow(other.db)).cliEnvName)
})
