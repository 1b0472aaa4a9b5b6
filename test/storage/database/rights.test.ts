import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LoadSession } from '../../../src/ingress/activator/load-session.ts'
import { RouteSource } from '../../../src/ingress/routes/route-source.ts'
import { TrafficSession } from '../../../src/ingress/traffic/traffic-session.ts'
import { grantIngressRights } from '../../../src/storage/database/migrate.ts'
import { findMissingRights, grantsOf, INGRESS_RIGHTS } from '../../../src/storage/database/rights.ts'
import { askIngressDatabase } from '../../../src/storage/database/schema-readiness.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Where a process that is an ingress alone begins, and each of those that serve its port. */
const ENTRIES = ['src/platform/serve-ingress.ts', 'src/platform/ingress-processes/ingress-process.ts']
/** They are loaded, and their statements are for the owner of the database: what migrates it, and refuses a newer one. */
const OF_THE_OWNER = ['src/storage/database/engine-connections.ts', 'src/storage/database/newer-schema.ts']
const NOT_PERMITTED = '42501'

let held: TestDatabase
let owner: pg.Client
/** Roles are the cluster's, and other test files run beside this one. */
const role = `ingress_${randomUUID().replaceAll('-', '')}`
let ingressUrl: string
const dataDirectory = mkdtempSync(join(tmpdir(), 'berth-rights-'))

beforeAll(async () => {
  held = await createTestDatabase()
  owner = new pg.Client({ connectionString: held.url })
  await owner.connect()
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'of-a-test'`)
  const url = new URL(held.url)
  url.username = role
  url.password = 'of-a-test'
  ingressUrl = url.href
})
afterEach(() => grantIngressRights(owner, role))
afterAll(async () => {
  await owner.query(`DROP OWNED BY ${role}`)
  await owner.query(`DROP ROLE ${role}`)
  await owner.end()
  await held.drop()
  rmSync(dataDirectory, { recursive: true, force: true })
})

interface Ran {
  /** File and line, such as src/ingress/routes/route-query.ts:107. */
  site: string
  /** PostgreSQL's error state; null when the statement was carried out. */
  state: string | null
}

/** Runs everything that an ingress asks of the database by the ingress's own code, and returns what became of each. */
async function runStatements(): Promise<Ran[]> {
  const ran: Promise<Ran>[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function recorded(this: pg.Client, ...statement: unknown[]) {
    const site = siteOf(new Error().stack ?? '')
    const result = Reflect.apply(query, this, statement) as Promise<unknown>
    if (site)
      ran.push(
        result.then(
          () => ({ site, state: null }),
          (error: { code?: string }) => ({ site, state: error.code ?? 'unknown' }),
        ),
      )
    return result
  } as typeof query
  try {
    await readRoutes()
    await reportRequests()
    await reportTraffic()
    await askIngressDatabase(ingressUrl).catch(() => {})
    return await Promise.all(ran)
  } finally {
    pg.Client.prototype.query = query
  }
}

function siteOf(stack: string): string | null {
  const found = /\/(src\/[^\s:]+\.ts):(\d+)/.exec(stack)
  return found ? `${found[1]}:${found[2]}` : null
}

async function readRoutes(): Promise<void> {
  const source = new RouteSource({ databaseUrl: ingressUrl, dataDirectory, log: pino({ level: 'silent' }) })
  await source.start()
  await source.stop()
}

async function reportRequests(): Promise<void> {
  const session = new LoadSession(ingressUrl)
  await session.report([], [], []).catch(() => {})
  await session.close()
}

async function reportTraffic(): Promise<void> {
  const session = new TrafficSession(ingressUrl)
  await session.report([]).catch(() => {})
  await session.close()
}

/** Every call of `query` in what a process of an ingress loads. */
function sitesInSource(): string[] {
  const seen = new Set<string>()
  const visit = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, imported = ''] of textOf(path).matchAll(/^(?:import|export) (?!type )[^']*?from '(\.[^']+\.ts)'/gms))
      visit(relative(ROOT, resolve(ROOT, dirname(path), imported)))
  }
  for (const entry of ENTRIES) visit(entry)
  return [...seen]
    .filter((path) => /from 'pg'|report-connection/.test(textOf(path)) && !OF_THE_OWNER.includes(path))
    .flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) => (/\.query\b(<|\()/.test(line) ? [`${path}:${index + 1}`] : [])),
    )
    .sort()
}

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const missingRights = () =>
  findMissingRights(async (sql, values) => (await owner.query(sql, [...values])).rows, INGRESS_RIGHTS, role)

const CELLS = Object.entries(INGRESS_RIGHTS).flatMap(([table, rights]) => rights.map((right) => ({ table, right })))

describe('the rights of an ingress', () => {
  beforeAll(() => grantIngressRights(owner, role))

  test('are enough for all of its statements, and none of them is left out here', async () => {
    const ran = await runStatements()
    expect(ran.filter(({ state }) => state !== null)).toEqual([])
    expect([...new Set(ran.map(({ site }) => site))].sort()).toEqual(sitesInSource())
  })

  test.each(CELLS)('hold nothing superfluous: without $right on $table a statement is refused', async (cell) => {
    await owner.query(`REVOKE ${cell.right} ON ${cell.table} FROM ${role}`)
    const states = (await runStatements()).map(({ state }) => state)
    expect(states).toContain(NOT_PERMITTED)
  })

  test.each(CELLS)('are missed and mended: $right on $table', async ({ table, right }) => {
    await owner.query(`REVOKE ${right} ON ${table} FROM ${role}`)
    const missing = await missingRights()
    expect(missing).toEqual({ role, rights: { [table]: [right] } })
    const grants = missing ? grantsOf(missing) : []
    expect(grants).toEqual([`GRANT ${right} ON ${table} TO ${role}`])
    for (const grant of grants) await owner.query(grant)
    expect(await missingRights()).toBeNull()
  })

  test('that an older Berth gave too many of are taken away at the next start', async () => {
    await owner.query(`GRANT SELECT ON account TO ${role}`)
    await owner.query(`GRANT ALL ON host TO ${role}`)
    await grantIngressRights(owner, role)
    const { rows } = await owner.query(
      `SELECT table_name AS "table", string_agg(privilege_type, ',' ORDER BY privilege_type) AS rights
       FROM information_schema.role_table_grants WHERE grantee = $1 AND table_name IN ('account', 'host') GROUP BY 1`,
      [role],
    )
    expect(rows).toEqual([{ table: 'host', rights: 'SELECT' }])
  })
})
