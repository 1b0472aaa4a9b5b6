import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ReadConnections } from '../../../src/storage/database/reads/read-connections.ts'
import { createReadsWorld, type ReadsWorld } from './reads-world.ts'

let reads: ReadsWorld
const { askRows } = ReadConnections.prototype
let written = 0
let newest: { text: string; values: unknown[] } | null = null

beforeAll(async () => {
  reads = await createReadsWorld()
  ReadConnections.prototype.askRows = function counted(asked) {
    if (asked.text.includes('row_to_json')) {
      written += 1
      newest = asked
    }
    return askRows.call(this, asked)
  }
})
afterEach(() => {
  written = 0
})
afterAll(async () => {
  ReadConnections.prototype.askRows = askRows
  await reads?.close()
})

const ENV_COLUMNS = 'id name cliEnvName status health createdAt updatedAt gitBranch'
const COLUMNS = 'id name slug type dockerPreset port useImage image createdAt updatedAt'

async function sameAnswer(query: string): Promise<string> {
  const [actual, expected] = [
    await reads.now.ask({ query }, reads.tokens.admin ?? ''),
    await reads.plain.ask({ query }, reads.tokens.admin ?? ''),
  ]
  expect(actual).toBe(expected)
  return actual
}

describe('rows that the database writes', () => {
  test.each([
    `{ apps { nodes { ${COLUMNS} } } }`,
    `{ apps(first: 2) { nodes { ${COLUMNS} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    `{ apps(first: 2) { edges { cursor node { __typename t: __typename a: name name } } } }`,
    `query Q($n: Int!, $with: Boolean!) { apps(first: $n) { nodes { id image @include(if: $with) } } }`,
    '{ apps { nodes { id appEnvs { nodes { id } } } } }',
    `{ apps { nodes { name a: appEnvs(first: 1) { n: nodes { ${ENV_COLUMNS} } __typename } b: appEnvs { nodes { s: slug } } } } }`,
    '{ appEnvs { nodes { id name slug createdAt } } }',
    '{ appEnvs(first: 3) { nodes { id operations(first: 2) { nodes { id createdAt } } deployments { nodes { id version } } } } }',
    '{ accounts { nodes { id name apps(first: 2) { nodes { id name } } appEnvs { nodes { id health } } } } }',
    'query Q($n: Int!) { apps(first: $n) { edges { node { appEnvs(first: $n) { nodes { id status health } } } } } }',
    '{ apps(first: 2) { nodes { appEnvs(first: 1) { __typename nodes { id __typename } } } pageInfo { endCursor } } }',
    '{ apps { __typename nodes { id ...F } } other: apps(first: 1) { nodes { id ...F } } } fragment F on App { name }',
  ])('are answered alike, byte for byte: %s', async (query) => {
    const variables = { n: 3, with: false }
    const token = reads.tokens.admin ?? ''
    const actual = await reads.now.ask({ query, variables }, token)
    expect(actual).toBe(await reads.plain.ask({ query, variables }, token))
    expect(actual).not.toContain('"errors"')
    expect(written).toBeGreaterThan(0)
  })

  test('continue after a cursor and before one', async () => {
    const page = await sameAnswer('{ apps { edges { cursor node { id } } } }')
    const { edges } = JSON.parse(page.slice(page.indexOf('{'))).data.apps
    await sameAnswer(
      `{ apps(first: 2, after: "${edges[0].cursor}") { nodes { id } pageInfo { hasNextPage endCursor } } }`,
    )
    await sameAnswer(`{ apps(last: 2, before: "${edges[3].cursor}") { nodes { id } pageInfo { hasPreviousPage } } }`)
    // Paging backwards is Pothos' own.
    expect(written).toBe(2)
  })

  test.each([
    `{ apps { nodes { id } edges { node { name } } } }`,
    '{ apps { nodes { id appEnvs { nodes { id } pageInfo { hasNextPage } } } } }',
    '{ apps { nodes { id appEnvs(last: 1) { nodes { id } } } } }',
    '{ apps { nodes { id appEnvs { nodes { id } edges { node { name } } } } } }',
    '{ apps { nodes { id appEnvs { __typename } } } }',
    '{ apps { nodes { id appEnvs { nodes { id app { name } } } } } }',
    `{ apps { nodes { ${'n'.repeat(64)}: name } } }`,
  ])('are made of their values where their text would differ: %s', async (query) => {
    expect(await sameAnswer(query)).not.toContain('"errors"')
    expect(written).toBe(0)
  })

  // A page that the statement names twice is worked out twice, for each row: that was half of the time of such lists.
  test('have each page worked out once', async () => {
    await sameAnswer('{ apps { nodes { id name appEnvs(first: 2) { nodes { id name } } } } }')
    const { text, values } = newest ?? { text: '', values: [] }
    const plan = await reads.world.database.$queryRawUnsafe<object[]>(`EXPLAIN (FORMAT JSON) ${text}`, ...values)
    expect(JSON.stringify(plan).match(/"Relation Name":\s*"app_env"/g)).toHaveLength(1)
  })

  test.each(['restricted', 'technical', 'outsider', 'environment', 'scoped'])(
    'hold what the caller may see, for a caller who is %s',
    async (caller) => {
      const token = reads.tokens[caller] ?? ''
      for (const columns of ['id status', ENV_COLUMNS]) {
        const query = `{ apps { nodes { id appEnvs { nodes { ${columns} } } } } }`
        expect(await reads.now.ask({ query }, token)).toBe(await reads.plain.ask({ query }, token))
      }
    },
  )

  test('have the same errors for a value of a nested row that its enum does not know', async () => {
    const { database } = reads.world
    await database.$executeRaw`ALTER TYPE "Health" ADD VALUE 'NOT_THERE'`
    const { id, health } = await database.appEnv.findFirstOrThrow({ orderBy: { id: 'asc' } })
    await database.$executeRaw`UPDATE app_env SET health = 'NOT_THERE' WHERE id = ${id}`
    const { now, tokens } = reads
    const answer = await now.ask(
      { query: '{ apps { nodes { appEnvs { nodes { id health } } } } }' },
      tokens.admin ?? '',
    )
    await database.appEnv.update({ where: { id }, data: { health } })
    expect(answer).toContain('INTERNAL')
    expect(written).toBe(1)
  })

  test('have the same errors for a value that its enum does not know', async () => {
    const { database } = reads.world
    const app = await database.app.findFirstOrThrow({ orderBy: { id: 'asc' } })
    await database.app.update({ where: { id: app.id }, data: { dockerPreset: 'NOT_THERE' } })
    const answer = await sameAnswer('{ apps { nodes { id dockerPreset } } }')
    await database.app.update({ where: { id: app.id }, data: { dockerPreset: app.dockerPreset } })
    expect(answer).toContain('INTERNAL')
    expect(written).toBe(1)
  })

  test('escape every character as JSON.stringify does', async () => {
    const { database } = reads.world
    const app = await database.app.findFirstOrThrow({ orderBy: { id: 'asc' } })
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code + 1)).join('')
    await database.app.update({ where: { id: app.id }, data: { image: `${all}🙂\ufffe\uffff` } })
    await sameAnswer('{ apps { nodes { image } } }')
    // Beside a page a row is put together in another way.
    await sameAnswer('{ apps { nodes { name port useImage image createdAt appEnvs { nodes { id } } } } }')
    const times = [
      '0001-01-01T00:00:00.000Z',
      '0999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
      '1969-12-31T23:59:59.001Z',
    ]
    for (const createdAt of times) {
      await database.app.update({ where: { id: app.id }, data: { image: app.image, createdAt: new Date(createdAt) } })
      expect(await sameAnswer('{ apps { nodes { id createdAt } } }')).toContain(createdAt)
      await sameAnswer('{ apps { nodes { createdAt appEnvs { nodes { id } } } } }')
    }
    await database.app.update({ where: { id: app.id }, data: { createdAt: app.createdAt } })
    expect(written).toBe(10)
  })
})
