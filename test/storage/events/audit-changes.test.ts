import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/storage/database/client.ts'
import { auditedChanges } from '../../../src/storage/events/audit-changes.ts'
import { AUDITED_TABLES, OMITTED } from '../../../src/storage/events/audited-tables.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const noted = (...notes: object[]) => ['-', ...notes.map((note) => JSON.stringify(note))].join('\n')
const changesOf = (...notes: object[]) => auditedChanges(noted(...notes), '')

const row = { table: 'app_env', name: 'Production' }
const naming = { id: 'env_1', cli_env_name: 'a-b-c' }
const thing = { type: 'appEnv', id: 'env_1', name: 'a-b-c', appEnvId: 'env_1' }

describe('what a transaction has noted', () => {
  test('is told as one change of each field, from the first value to the last', () => {
    const first = { ...row, before: { ...naming, containers: 1 }, after: { ...naming, containers: 2 } }
    const second = { ...row, before: { ...naming, containers: 2 }, after: { ...naming, containers: 3 } }
    const told1 = changesOf(first, second)
    expect(told1).toEqual({ fieldChanges: [{ ...thing, field: 'containers', before: 1, after: 3 }] })
    const back = { ...row, before: { ...naming, containers: 3 }, after: { ...naming, containers: 1 } }
    expect(changesOf(first, second, back)).toEqual({})
  })

  test('shows a variable that was written anew as changed, and one that is as it was not at all', () => {
    const variable = (value: string, type: string) => ({
      id: Math.random(),
      app_env_id: 'env_1',
      name: 'KEY',
      type,
      is_secret: true,
      sealed_value: Math.random(),
      fingerprint: value,
    })
    const table = 'variable'
    const gone = { table, before: variable('one', 'DEPLOY'), after: null }
    expect(changesOf(gone, { table, before: null, after: variable('one', 'DEPLOY') })).toEqual({})
    const { fieldChanges } = changesOf(gone, { table, before: null, after: variable('two', 'BUILD') })
    expect(fieldChanges).toMatchObject([
      { name: 'KEY', field: 'type', before: 'DEPLOY', after: 'BUILD' },
      { name: 'KEY', field: 'value', before: '***SECRET***', after: '***SECRET***' },
    ])
  })

  test('shows each field of what is gone, and no column that is not declared', () => {
    const before = { ...naming, name: 'Production', lease_token: 7, secret_of_tomorrow: 'hush' }
    expect(changesOf({ ...row, before, after: null }).fieldChanges).toEqual([
      { ...thing, field: 'cliEnvName', before: 'a-b-c', after: null },
      { ...thing, field: 'name', before: 'Production', after: null },
      { ...thing, field: 'secretOfTomorrow', before: '***SECRET***', after: null },
    ])
  })

  test('shows what differs in objects, without headers', () => {
    const health = (path: string, key: string) => ({ path, headers: { Authorization: key } })
    const before = { ...naming, health_check: health('/a', 'hush'), startup_config: null }
    const after = { ...naming, health_check: health('/b', 'hush 2'), startup_config: { command: 'x', headers: 'hush' } }
    const changes = changesOf({ ...row, before, after }).fieldChanges ?? []
    expect(changes.map(({ field, before, after }) => [field, before, after])).toEqual([
      ['healthCheck.path', '/a', '/b'],
      ['healthCheck.headers.Authorization', '***SECRET***', '***SECRET***'],
      ['startupConfig', null, { command: 'x', headers: '***SECRET***' }],
    ])
  })

  test('is cut: texts, lists, changes and their size', () => {
    const app = (fields: object) => ({ table: 'app', before: { id: 'app_1', ...fields }, after: null })
    const [text] = changesOf(app({ image: `${'x'.repeat(999)}😀` })).fieldChanges ?? []
    expect(text?.before).toBe(`${'x'.repeat(999)}\uFFFD… (1001 characters)`)
    const list = changesOf({
      table: 'membership',
      before: { user_id: 'u', app_env_ids: Array(60).fill('e') },
      after: null,
    })
    expect(list.fieldChanges?.[0]?.before).toEqual([...Array(50).fill('e'), '… and 10 more'])
    const many = Array.from({ length: 120 }, (_, index) => ({ ...app({ port: 1 }), before: { id: index, port: 1 } }))
    const { fieldChanges, fieldChangesLeftOut } = auditedChanges(noted(...many), '5')
    expect([fieldChanges?.length, fieldChangesLeftOut]).toEqual([100, 25])
    const large = many.map((note) => ({ ...note, before: { ...note.before, port: 'y'.repeat(1_000) } }))
    const kept = changesOf(...large)
    expect(JSON.stringify(kept.fieldChanges).length).toBeLessThan(33_000)
    expect((kept.fieldChanges?.length ?? 0) + (kept.fieldChangesLeftOut ?? 0)).toBe(120)
  })
})

/** Tables that no command changes, or of whose changes nothing is told. */
const NOT_AUDITED: Record<string, string[]> = {
  'written by workers and the ingress': [
    'account_usage',
    'pulled_image',
    'engine_host',
    'container',
    'log_stream',
    'log_line',
    'metric_sample',
    'service_sample',
    'replica',
    'request_scaling',
    'request_load',
    'request_sample',
    'traffic_sample',
    'ingress_session',
    'wake',
    'engine_mark',
    'build_turn',
    'job_attempt',
    'log_archive',
    'log_piece',
    'usage_interval',
    'usage_account',
    'usage_price',
    'usage_statement',
    'budget_alert',
    'commit_status',
    'git_delivery',
    'solution_component',
    'webhook_attempt',
  ],
  'answers of workers to one question, kept for an hour': ['source_inspection'],
  'changed by pages of sign-in and OAuth, whose entries say what was done': [
    'user_password',
    'passkey',
    'code_generator',
    'recovery_code',
    'company_identity',
    'sign_in_challenge',
    'session',
    'oauth_client',
    'oauth_state',
  ],
  'what Berth keeps for itself': [
    'installation',
    'event_sequence',
    'event',
    'audit_entry',
    'idempotency_record',
    'rate_count',
    'released_host',
    'released_port',
    'upload',
    // From a ticket to its end: the calls and the ends have entries that say all of it.
    'remote_session',
    'build_cache',
    '_prisma_migrations',
  ],
}

/** Columns of which only is told that they changed. */
const MASKED = [
  'account.data_key',
  'app.build_args',
  'app.health_check_headers',
  'backup.sealed_key',
  'credential.sealed_data',
  'content.build_plan',
  'content.configuration',
  'git_hook.sealed_data',
  'invitation.hash',
  'job_run.snapshot',
  'job_run.stdin',
  'service_credentials.sealed_data',
  'service_credentials.sealed_next',
  'solution_installation.sealed_inputs',
  'token.hash',
  'token.previous_hash',
  'variable.fingerprint',
  'webhook.address',
  'webhook.sealed_data',
]

describe('the declaration of what is told', () => {
  let held: TestDatabase
  let database: Database
  let columns: { table: string; column: string }[]

  beforeAll(async () => {
    held = await createTestDatabase()
    database = held.database
    columns = await database.$queryRaw`
      SELECT table_name AS table, column_name AS column FROM information_schema.columns
      WHERE table_schema = current_schema() ORDER BY 1, 2`
  })
  afterAll(() => held.drop())

  const words = (text = '') => text.split(' ').filter(Boolean)

  test('is there for each table that notes its changes, and each other one has a reason', async () => {
    const noting = await database.$queryRaw<{ name: string }[]>`
      SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'NoteChange'`
    const names = noting.map(({ name }) => name.replaceAll('"', ''))
    expect(names.sort()).toEqual(Object.keys(AUDITED_TABLES).sort())
    const all = [...new Set(columns.map(({ table }) => table))]
    expect(all.filter((name) => !names.includes(name)).sort()).toEqual(Object.values(NOT_AUDITED).flat().sort())
  })

  test('names columns that there are', () => {
    for (const [name, { id = 'id', label, key, shown, omitted, as }] of Object.entries(AUDITED_TABLES)) {
      const present = columns.filter(({ table }) => table === name).map(({ column }) => column)
      const named = [id, ...(label ? [label] : []), ...(key ?? []), ...words(shown), ...words(omitted)]
      expect([name, [...named, ...Object.keys(as ?? {})].filter((column) => !present.includes(column))]).toEqual([
        name,
        [],
      ])
    }
  })

  test('leaves masked what is a secret, and nothing else', () => {
    const masked = columns.filter(({ table, column }) => {
      const known = AUDITED_TABLES[table]
      return known && !words(`${OMITTED} ${known.shown} ${known.omitted}`).includes(column)
    })
    expect(masked.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(MASKED.sort())
  })
})
