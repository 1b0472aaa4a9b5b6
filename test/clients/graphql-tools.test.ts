import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { printedSchema } from '../../src/api/graphql/print-schema.ts'
import { npmInstall } from '../support/npm-install.ts'

// What others make of the schema: two linters find nothing, in it and in documents for it, and three generators make types with
// which programs of five clients compile strictly. test/shipped/graphql-clients.test.ts runs these programs.

const TOOLS = join(import.meta.dirname, 'graphql-tools')
const run = promisify(execFile)

let folder: string
let notInstalled: string | null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-graphql-'))
  await cp(TOOLS, folder, { recursive: true, filter: (path) => !/node_modules|generated/.test(path) })
  notInstalled = await npmInstall(folder, 'test/clients/graphql-tools', '--ignore-scripts')
  await writeFile(join(folder, 'schema.graphql'), printedSchema())
  await mkdir(join(folder, 'generated/relay'), { recursive: true })
})

beforeEach((context) => {
  // The tools come from a registry: where none answers, the reason is printed, and stands beside each test.
  if (notInstalled !== null) context.skip(notInstalled)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** What a script of the folder prints, whether it succeeds or not. */
async function npmRun(script: string): Promise<{ stdout: string; stderr: string; code?: number }> {
  // The tools need the Node.js of the tests, which need not be the machine's.
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const env = { ...process.env, PATH, BERTH_URL: '', NO_COLOR: '1' }
  return run('npm', ['run', '--silent', script], { cwd: folder, env, maxBuffer: MAX_OUTPUT_BYTES }).catch(
    (error) => error,
  )
}

/** Does something while a file of the folder has another text. */
async function withText<Result>(file: string, change: (text: string) => string, act: () => Promise<Result>) {
  const path = join(folder, file)
  const right = await readFile(path, 'utf8')
  const wrong = change(right)
  expect(wrong).not.toBe(right)
  await writeFile(path, wrong)
  return act().finally(() => writeFile(path, right))
}

/** The rules that the schema and the documents break, by each linter. */
const LINTERS = {
  'graphql-eslint': async (): Promise<string[]> => {
    const { stdout } = await npmRun('lint:graphql-eslint')
    const files = JSON.parse(stdout) as { messages: { ruleId: string | null; message: string; line: number }[] }[]
    // The schema, and the documents.
    expect(files.length).toBeGreaterThan(5)
    return files.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => `${ruleId} ${line} ${message}`))
  },
  'graphql-schema-linter': async (): Promise<string[]> => {
    const { errors } = JSON.parse((await npmRun('lint:graphql-schema-linter')).stdout) as {
      errors: { rule: string; message: string }[]
    }
    return errors.map(({ rule, message }) => `${rule} ${message}`)
  },
}

describe.each(Object.entries(LINTERS))('%s', (_name, problems) => {
  test('finds nothing', async () => {
    expect(await problems()).toEqual([])
  })

  test('finds what is wrong with another schema', async () => {
    const without = (text: string) =>
      text
        .replace(/"""[^"]*"""\ntype App implements/, 'type App implements')
        .replace('  pageInfo: PageInfo!', '  page_info: PageInfo!')
    const found = await withText('schema.graphql', without, problems)
    // A description, and what makes a type a connection.
    expect(found.join('\n')).toMatch(/description/)
    expect(found.join('\n')).toMatch(/relay-connection-types|relay-connection-arguments-spec|pageInfo/)
  })
})

test('graphql-eslint finds what is wrong with a document', async () => {
  const misspelt = (text: string) => text.replace('cliEnvName', 'cliEnvNam')
  const found = await withText('documents/overview.graphql', misspelt, LINTERS['graphql-eslint'])
  expect(found).toEqual([expect.stringMatching(/fields-on-correct-type .*cliEnvNam/)])
})

/** Each generator, a document of its own in which a field can be misspelt, and its words for that. */
const GENERATORS = [
  ['codegen', 'generate:codegen', 'documents/overview.graphql', /errors occurred, no files were generated/],
  ['relay', 'generate:relay', 'relay/console.ts', /no field `statu`/],
  ['gql-tada', 'lint:gql-tada', 'tada/tada.ts', /Cannot query field "statu"/],
] as const

describe('types that are generated', () => {
  test.each(['codegen', 'relay', 'gql-tada'])('by %s', async (generator) => {
    const { stdout, stderr, code } = await npmRun(`generate:${generator}`)
    expect([stdout + stderr, code]).toEqual([expect.not.stringMatching(/error|warn|fail/i), undefined])
  })

  test.each(GENERATORS)('by %s are not, where a document has a misspelt field', async (_name, script, file, words) => {
    const misspelt = (text: string) => text.replace(/^(\s+)status$/m, '$1statu')
    const { stdout, stderr, code } = await withText(file, misspelt, () => npmRun(script))
    expect([stdout + stderr, code]).toEqual([expect.stringMatching(words), 1])
  })

  test('are what gql.tada checks documents by', async () => {
    const { stdout, code } = await npmRun('lint:gql-tada')
    expect([stdout, code]).toEqual([expect.stringContaining('No problems found'), undefined])
  })

  test('compile strictly, as do the programs that use them; a wrong one does not', async () => {
    const compile = async () => (await npmRun('check')).stdout.split('\n').filter((line) => /error TS\d+:/.test(line))
    expect(await compile()).toEqual([])
    await writeFile(join(folder, 'wrong.ts'), WRONG)
    const lines = (await compile()).map((line) => /^wrong\.ts\((\d+),/.exec(line)?.[1])
    await rm(join(folder, 'wrong.ts'))
    expect([...new Set(lines)]).toEqual(['5', '6', '7', '8'])
  })
})

const WRONG = `import type { ResultOf } from 'gql.tada'
import type { DeployMutationVariables, OverviewQuery } from './generated/codegen/graphql.ts'
import type { consoleAppRow_app$data } from './generated/relay/consoleAppRow_app.graphql.ts'
import type { overview } from './tada/tada.ts'
export const one: DeployMutationVariables['input'] = { appEnvId: 'a', imag: 'b' }
export const two = (answer: OverviewQuery): string => answer.appEnv.name
export const three = (app: consoleAppRow_app$data): number => app.name
export const four = (answer: ResultOf<typeof overview>): string => answer.appEnv?.createdAt
`
