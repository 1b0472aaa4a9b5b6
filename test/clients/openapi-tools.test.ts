import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiProcess, createFleet } from '../support/api-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { npmInstall } from '../support/npm-install.ts'

// What others make of /openapi.json: two linters find nothing, three generators make clients that compile strictly, and two of
// these clients call a Berth. The tools are installed beside a copy of openapi-tools/: Berth does not depend on them.

const TOOLS = join(import.meta.dirname, 'openapi-tools')
const run = promisify(execFile)

let held: TestDatabase
let fleet: ReturnType<typeof createFleet>
let berth: ApiProcess
let folder: string
let env: NodeJS.ProcessEnv
let notInstalled: string | null

beforeAll(async () => {
  held = await createTestDatabase()
  fleet = createFleet({ databaseUrl: held.url })
  berth = await fleet.start()
  folder = await mkdtemp(join(tmpdir(), 'berth-openapi-'))
  await cp(TOOLS, folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  env = { ...process.env, BERTH_URL: berth.url, BERTH_TOKEN: berth.token, REDOCLY_TELEMETRY: 'off' }
  notInstalled = await npmInstall(folder, 'test/clients/openapi-tools')
  const document = await fetch(`${berth.url}/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
})

beforeEach((context) => {
  // The tools come from a registry: where none answers, the reason is printed, and stands beside each test.
  if (notInstalled !== null) context.skip(notInstalled)
})

afterAll(async () => {
  await fleet?.stop()
  await held?.drop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** What a script of the folder prints, whether it succeeds or not. */
const npmRun = (script: string) =>
  run('npm', ['run', '--silent', script], { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )

/** The rules that a document breaks, by each linter. */
const LINTERS = {
  Spectral: async (): Promise<string[]> => {
    const { stdout } = await npmRun('lint:spectral')
    return (JSON.parse(stdout) as { code: string; path: string[] }[]).map(
      ({ code, path }) => `${code} ${path.join('/')}`,
    )
  },
  Redocly: async (): Promise<string[]> => {
    const { problems } = JSON.parse((await npmRun('lint:redocly')).stdout) as {
      problems: { ruleId: string; location: { pointer: string }[] }[]
    }
    return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
  },
}

describe.each(Object.entries(LINTERS))('%s', (_name, problems) => {
  test('finds neither an error nor a warning', async () => {
    expect(await problems()).toEqual([])
  })

  test('finds what is wrong with another document', async () => {
    const path = join(folder, 'openapi.json')
    const right = await readFile(path, 'utf8')
    const document = JSON.parse(right)
    delete document.paths['/app'].get.tags
    document.paths['/app'].get.parameters[0].example = 5
    await writeFile(path, JSON.stringify(document))
    const found = await problems().finally(() => writeFile(path, right))
    expect(found.length).toBeGreaterThanOrEqual(1)
  })
})

describe('clients that are generated', () => {
  const compile = async () => (await npmRun('check')).stdout.split('\n').filter((line) => /error TS\d+:/.test(line))

  test.each(['openapi-typescript', 'hey-api', 'orval'])('by %s', async (generator) => {
    const { stdout, stderr } = await npmRun(`generate:${generator}`)
    expect(stdout + stderr).not.toMatch(/error|warn/i)
  })

  test('compile strictly, as do the programs that use them; a wrong one does not', async () => {
    expect(await compile()).toEqual([])
    await writeFile(join(folder, 'wrong.ts'), WRONG)
    const lines = (await compile()).map((line) => /^wrong\.ts\((\d+),/.exec(line)?.[1])
    await rm(join(folder, 'wrong.ts'))
    expect([...new Set(lines)]).toEqual(['4', '5', '6'])
  })

  test.each(['hey-api', 'orval'])('by %s call a Berth', async (client) => {
    const { stdout } = await run(process.execPath, [`${client}.ts`], { cwd: folder, env })
    expect(stdout).toBe(`${client}: Generated runs nginx:alpine at 80\n${client}: 404 NOT_FOUND\n`)
    expect(await held.database.app.count({ where: { deletedAt: null } })).toBe(0)
  })
})

const WRONG = `import type { CreateAppData, Webhook } from './generated/hey-api/types.gen.ts'
import type { CreateAppInput } from './generated/orval.ts'
import type { components } from './generated/openapi-typescript.d.ts'
export const one: CreateAppData['body'] = { name: 'a', acountId: 'b', port: 80 }
export const two: CreateAppInput['port'] = '80'
export const three: components['schemas']['OperationFailedEvent']['type'] = 'operation.succeeded'
export const four = (webhook: Webhook): string => webhook.createdAt
`
