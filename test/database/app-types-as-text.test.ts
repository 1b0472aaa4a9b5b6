import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MIGRATIONS_PATH } from '../../src/database/schema-engine.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const MIGRATION = /_app_types_as_text$/

let held: TestDatabase
let client: pg.Client

const apply = async (folder: string) =>
  client.query(await readFile(join(MIGRATIONS_PATH, folder, 'migration.sql'), 'utf8'))

beforeAll(async () => {
  held = await createTestDatabase({ empty: true })
  client = new pg.Client({ connectionString: held.url })
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await held.drop()
})

const configuration = (changed: object) =>
  JSON.stringify({ port: 80, jobConfig: null, functionConfig: null, ...changed })

test('types and their configurations survive the change to text and one column', async () => {
  const folders = (await readdir(MIGRATIONS_PATH)).filter((name) => /^\d/.test(name)).sort()
  const own = folders.findIndex((name) => MIGRATION.test(name))
  for (const folder of folders.slice(0, own)) await apply(folder)
  // Without the plan that it refers to; the migration itself runs with every constraint.
  await client.query('SET session_replication_role = replica')
  await client.query(`INSERT INTO account (id, name, slug, plan_code, data_key) VALUES ('a', 'A', 'a', 'p', 'k')`)
  await client.query('SET session_replication_role = origin')
  await client.query(`INSERT INTO region (code, name, functions_supported, domain) VALUES ('local', 'L', true, 'l')`)
  await client.query(`
    INSERT INTO app (id, account_id, name, slug, type, job_config, function_config) VALUES
      ('app_1', 'a', 'One', 'one', 'JOB', '{"command": "run", "args": []}', NULL),
      ('app_2', 'a', 'Two', 'two', 'FUNCTION', NULL, '{"minScale": 1}'),
      ('app_3', 'a', 'Three', 'three', 'APP', NULL, NULL)`)
  await client.query(`
    INSERT INTO app_env (id, account_id, app_id, name, slug, cli_env_name, deployment_name, region_code, job_config) VALUES
      ('env_1', 'a', 'app_1', 'e', 'e', 'a-one-e', 'a-one-e', 'local', '{"command": "other"}'),
      ('env_3', 'a', 'app_3', 'e', 'e', 'a-three-e', 'a-three-e', 'local', NULL)`)
  const versions = [
    configuration({ jobConfig: { command: 'run' } }),
    configuration({ functionConfig: { minScale: 1 } }),
  ]
  for (const [index, version] of [...versions, configuration({})].entries())
    await client.query(
      `INSERT INTO content (id, account_id, app_env_id, version, type, status, image, configuration)
       VALUES ($1, 'a', 'env_1', $2, 'IMAGE_FROM', 'DEPLOYED', 'nginx', $3)`,
      [`con_${index}`, index + 1, version],
    )

  await apply(folders[own] ?? '')

  const { rows: apps } = await client.query('SELECT type, type_config FROM app ORDER BY id')
  expect(apps).toEqual([
    { type: 'JOB', type_config: { jobConfig: { command: 'run', args: [] } } },
    { type: 'FUNCTION', type_config: { functionConfig: { minScale: 1 } } },
    { type: 'APP', type_config: null },
  ])
  const { rows: appEnvs } = await client.query('SELECT type_config FROM app_env ORDER BY id')
  expect(appEnvs.map((row) => row.type_config)).toEqual([{ jobConfig: { command: 'other' } }, null])
  const { rows: contents } = await client.query('SELECT configuration FROM content ORDER BY version')
  expect(contents.map((row) => row.configuration)).toEqual([
    { port: 80, typeConfig: { jobConfig: { command: 'run' } } },
    { port: 80, typeConfig: { functionConfig: { minScale: 1 } } },
    { port: 80, typeConfig: null },
  ])
})
