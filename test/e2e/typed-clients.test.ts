import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ensureSampleImage } from '../../scripts/sample-image.ts'
import { npmInstall } from '../support/npm-install.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

// examples/typed-clients as its README says, on a copy: install, generate from a running Berth, compile, run.

const EXAMPLE = join(import.meta.dirname, '../../examples/typed-clients')
const run = promisify(execFile)

let berth: TestPlatform
let folder: string
let env: NodeJS.ProcessEnv
let notInstalled: string | null

beforeAll(async () => {
  berth = await startTestPlatform()
  folder = await mkdtemp(join(tmpdir(), 'berth-typed-'))
  await cp(EXAMPLE, folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  env = {
    ...process.env,
    BERTH_URL: berth.platform.apiUrl ?? '',
    BERTH_TOKEN: berth.platform.adminToken,
    BERTH_IMAGE: await ensureSampleImage(berth.docker, { offline: true }),
    BERTH_PORT: '3000',
  }
  notInstalled = await npmInstall(folder, 'examples/typed-clients')
  if (notInstalled === null) await npm('run', 'generate')
})

beforeEach((context) => {
  if (notInstalled !== null) context.skip(notInstalled)
})

afterAll(async () => {
  await berth?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const npm = (...args: string[]) => run('npm', args, { cwd: folder, env })

let compiled: Promise<string[]> | null = null

/** What the compiler says of the programs and of a wrong one beside them, line by line. */
async function compile(): Promise<string[]> {
  await writeFile(join(folder, 'wrong.ts'), WRONG)
  const said = await npm('run', '--silent', 'check').catch((error: { stdout: string }) => error)
  await rm(join(folder, 'wrong.ts'))
  return said.stdout.split('\n').filter((line) => /error TS\d+:/.test(line))
}

const WRONG = `import createClient from 'openapi-fetch'
import { initGraphQLTada, type VariablesOf } from 'gql.tada'
import type { paths, components } from './openapi.d.ts'
import type { introspection } from './schema-env.d.ts'
const berth = createClient<paths>({ baseUrl: '' })
await berth.POST('/app', { body: { nam: 'a', accountId: 'b' } })
await berth.GET('/app', {})
export const health: components['schemas']['AppEnvStatus']['health'] = 'FINE'
const graphql = initGraphQLTada<{ introspection: introspection }>()
const query = graphql('query A($id: ID!) { appEnv(id: $id) { status } }')
export const variables: VariablesOf<typeof query> = {}
`

test('the strict compiler takes both programs', async () => {
  compiled ??= compile()
  expect((await compiled).filter((line) => !line.startsWith('wrong.ts('))).toEqual([])
})

test('it refuses a misspelt field, a missing one and a wrong type, of both APIs', async () => {
  compiled ??= compile()
  const lines = (await compiled).flatMap((line) => Number(/^wrong\.ts\((\d+),/.exec(line)?.[1] ?? []))
  expect([...new Set(lines)]).toEqual([6, 7, 8, 11])
})

describe.each(['rest.ts', 'graphql.ts'])('%s', (program) => {
  test('creates an app, deploys it, waits, reads its log and deletes it', async () => {
    const { stdout } = await run(process.execPath, [program], { cwd: folder, env })
    expect(stdout).toMatch(/version 1 is DEPLOYED, the environment is RUNNING\n/)
    expect(stdout).toMatch(/ listening on 3000, version unset\n/)
    expect(stdout).toMatch(/App "Typed \w+" and its 1 environment\(s\) are deleted\n$/)
    expect((await berth.ok<{ apps: unknown[] }>('GET', '/apps')).apps).toEqual([])
  })
})
