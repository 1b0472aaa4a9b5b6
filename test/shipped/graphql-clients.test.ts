import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { npmInstall } from '../support/npm-install.ts'
import { programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import { unique } from './support/user.ts'

// Clients that people use for GraphQL, each as a small program with types that were generated from the schema. The programs are
// those of test/clients/graphql-tools, which are held to compile strictly.

const TOOLS = join(import.meta.dirname, '../clients/graphql-tools')
const TIMEOUT_MS = 200_000
// The tools need the Node.js of the tests, which need not be the machine's.
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
const run = promisify(execFile)

let berth: SharedBerth
let image: string
let folder: string
let notInstalled: string | null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-graphql-clients-'))
  await cp(TOOLS, folder, { recursive: true, filter: (path) => !/node_modules|generated/.test(path) })
  ;[berth, image, notInstalled] = await Promise.all([
    sharedBerth(),
    programImage('1'),
    npmInstall(folder, 'test/clients/graphql-tools', '--ignore-scripts'),
  ])
  if (notInstalled === null) await generate()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const environment = (more: Record<string, string> = {}) => ({
  PATH,
  HOME: folder,
  BERTH_URL: berth.url,
  BERTH_TOKEN: berth.adminToken,
  ...more,
})

/** Codegen asks the program itself for its schema, Relay and gql.tada read the file that comes with it. */
async function generate(): Promise<void> {
  await cp(join(berth.folder, 'schema.graphql'), join(folder, 'schema.graphql'))
  await mkdir(join(folder, 'generated/relay'), { recursive: true })
  for (const generator of ['codegen', 'relay', 'gql-tada'])
    await run('npm', ['run', '--silent', `generate:${generator}`], { cwd: folder, env: environment() })
}

/** An environment that runs the image, in an account of its own with three more apps. */
async function prepare(): Promise<Record<string, string>> {
  const { accountId } = await berth.post('/account', { name: unique('clients') })
  for (const name of ['One', 'Two', 'Three']) await berth.post('/app', { accountId, name, port: 80 })
  const app = { accountId, name: 'Deployed', port: 3000, useImage: true, image }
  const { appId } = await berth.post('/app', app)
  const { appEnvId } = await berth.post('/app-env', { accountId, appId, name: 'production', region: 'local' })
  await berth.post('/app-env/deploy-image', { appEnvId, image })
  return { ACCOUNT_ID: accountId, APP_ENV_ID: appEnvId, IMAGE: image }
}

const REFUSED_SOCKET = {
  code: 4401,
  reason: 'Unauthorized: send a valid token in the first message, as Authorization',
}

/** What each program reports of what it has seen. */
const CLIENTS: Record<string, object> = {
  apollo: {
    firstPage: 2,
    // A hash alone, and, as none is kept, the text with it.
    persistedQueries: [
      ['extensions', 'operationName', 'variables'],
      ['extensions', 'operationName', 'query', 'variables'],
    ],
    requestsForWhatIsCached: 0,
    allPages: true,
    otherRequests: true,
    deployed: { success: true, status: 'SUCCEEDED' },
    followed: [true, 'RUNNING'],
    normalized: 'RUNNING',
    refused: { code: 'INVALID_INPUT', fields: ['image'] },
    notFound: { partial: { appEnv: null }, code: 'NOT_FOUND' },
    withoutToken: 'UNAUTHENTICATED',
  },
  urql: {
    pages: { first: 2, total: 4 },
    deployed: 'SUCCEEDED',
    followed: [true, 'RUNNING'],
    overview: ['RUNNING', 'DEPLOYED'],
    refused: 'INVALID_INPUT',
    withoutToken: { status: 401, code: 'UNAUTHENTICATED' },
  },
  relay: {
    firstPage: 2,
    allPages: true,
    node: ['App', true],
    appended: 1,
    refused: 'INVALID_INPUT',
    removed: 0,
    overview: 'DEPLOYED',
    followed: 'RUNNING',
  },
  'graphql-ws': {
    firstMessage: 'RUNNING',
    operation: 'SUCCEEDED',
    cursor: true,
    refused: 'NOT_FOUND',
    withoutToken: REFUSED_SOCKET,
    withAWrongToken: REFUSED_SOCKET,
  },
  'graphql-sse': {
    query: 'RUNNING',
    firstMessage: 'RUNNING',
    mutation: true,
    followed: [true, 'RUNNING'],
    refused: 'NOT_FOUND',
    withoutToken: 'Server responded with 401: Unauthorized',
    singleConnection: 'Server responded with 405: Method Not Allowed',
  },
  'tada/tada': { apps: 2, hasNextPage: true, status: 'RUNNING', deployment: 'DEPLOYED' },
}

describe.concurrent('a program with', () => {
  test.for(Object.entries(CLIENTS))('%s does what its readers do', async ([client, seen], { expect, skip }) => {
    // The clients come from a registry: where none answers, the reason is printed, and stands beside each test.
    if (notInstalled !== null) skip(notInstalled)
    const env = environment(await prepare())
    const { stdout } = await run('node_modules/.bin/tsx', [`${client}.ts`], { cwd: folder, env, timeout: TIMEOUT_MS })
    expect(JSON.parse(stdout)).toEqual(seen)
  })
})
