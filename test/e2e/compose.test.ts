import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findEngine } from '../../src/app-types/engines/engines.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { startGitServer } from '../support/git-server.ts'
import { ensureProgramImage } from '../support/solution-images/ensure-program-image.ts'
import { PROGRAM_IMAGES } from '../support/solution-images/list.ts'
import { ensureShopImage } from './compose/shop-image.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { visit } from './solutions/visit.ts'

const FILES = join(import.meta.dirname, 'compose/files')
/** A repository with a compose file whose services are built. */
const BUILT = join(import.meta.dirname, 'compose/built')

/** What the program of each file finds of the others, and of its own container. */
const FOUND: Readonly<Record<string, object>> = {
  '01-node-postgres': { database: 'ok' },
  '02-same-password-everywhere': { database: 'ok', greeting: 'postgres' },
  '03-redis-by-name': { redis: '+PONG' },
  '04-nginx-in-front': { greeting: 'behind the proxy' },
  '05-queue-and-workers': { redis: '+PONG', done: true },
  '06-memcached': { memcached: 'VERSION' },
  '07-migrate-first': { database: 'ok', migrated: 'first' },
  '08-hardened': {
    container: {
      uid: 1000,
      hostname: 'hardened',
      isRootWritable: false,
      isTmpWritable: true,
      capabilities: '0000000000000000',
      mayGainPrivileges: false,
      // Node.js raises the soft limit.
      openFiles: 4096,
      isFirstProcess: false,
    },
  },
  '09-variables': { greeting: 'Hello, Ada for $5' },
  '10-names-in-json': { config: 200, upstream: { arguments: [], greeting: 'from orders' } },
  '11-volume-and-health': { kept: 'kept' },
  '12-words': { arguments: ['--title=My shop', 'two words'] },
}

const VARIABLES: Readonly<Record<string, object>> = { '09-variables': { NAME: 'Ada' } }

const INSTALL_SECONDS = 180
const WAIT = { prefer: 'wait=120' }

let berth: TestPlatform
let accountId: string

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_READY_TIMEOUT_SECONDS: '120', BERTH_GIT_PRIVATE_HOSTS: 'true' })
  const { docker, ok } = berth
  for (const name of ['POSTGRESQL', 'REDIS']) {
    const engine = findEngine(name)
    if (!engine || !(await ensureEngineImages(docker, engine))) throw new Error(`There is no image of ${name}`)
  }
  for (const image of PROGRAM_IMAGES.filter(({ name }) => name === 'nginx' || name === 'memcached'))
    await ensureProgramImage(docker, image)
  await ensureShopImage(docker)
  const { accounts } = await ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  accountId = accounts.at(-1)?.accountId ?? ''
}, 600_000)
afterAll(() => berth?.stop())

interface Installation {
  status: string
  components: { key: string; appEnvId: string; state: string; message: string | null }[]
}

interface Found {
  status: number
  body: string
}

const names = readdirSync(FILES).map((file) => file.slice(0, -'.yml'.length))

test('every file has what is to be found', () => expect(names).toEqual(Object.keys(FOUND)))

test.for(names)('%s is installed, answers and is removed', async (name) => {
  const compose = readFileSync(join(FILES, `${name}.yml`), 'utf8')
  const answers = await installed({ appName: name, compose, variables: VARIABLES[name] ?? {} })
  expect(answers.map(({ body }) => JSON.parse(body))).toContainEqual(expect.objectContaining(FOUND[name] ?? {}))
})

test('services that a file builds are built from its repository, by folder, Dockerfile, stage and arguments', async () => {
  const git = await startGitServer()
  try {
    git.commitFolder('shop', BUILT)
    const compose = readFileSync(join(BUILT, 'deploy/compose.yml'), 'utf8')
    const repository = { gitRepo: git.repository('shop'), branch: 'main', composeDir: 'deploy' }
    const answers = await installed({ appName: 'built', compose, ...repository })
    expect(answers.map(({ body }) => JSON.parse(body))).toContainEqual(
      expect.objectContaining({ database: 'ok', migrated: 'first', greeting: 'from the build' }),
    )
  } finally {
    await git.close()
  }
})

/** What the open services answer. Then everything is removed. */
async function installed(fields: object): Promise<Found[]> {
  const { ok, platform, docker } = berth
  const body = { accountId, region: 'local', ...fields }
  const { installationId } = await ok<{ installationId: string }>('POST', '/solutions/compose', body, WAIT)
  const read = () => ok<Installation>('GET', `/solutions/installation?installationId=${installationId}`)
  await expect
    .poll(read, { timeout: INSTALL_SECONDS * 1000, interval: 500 })
    .not.toMatchObject({ status: 'INSTALLING' })
  const { status, components } = await read()
  expect({ status, failed: components.filter(({ state }) => state !== 'READY') }).toEqual({
    status: 'INSTALLED',
    failed: [],
  })
  const hosts: string[] = []
  for (const { appEnvId } of components) {
    const appEnv = await ok<{ hosts?: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
    hosts.push(...(appEnv.hosts ?? []))
  }
  // The service that the file publishes.
  const answers = await Promise.all(hosts.map((host) => visit(platform.ingressUrl ?? '', host, '/')))

  await ok('DELETE', `/solutions/installation?installationId=${installationId}`, undefined, WAIT)
  const left = () =>
    Promise.all(
      components.map(({ appEnvId }) =>
        docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } }),
      ),
    )
  await expect.poll(async () => (await left()).flat(), { timeout: 60_000 }).toEqual([])
  return answers.filter((one) => one.status === 200)
}
