import pg from 'pg'
import { ReadConnections } from '../../../src/storage/database/reads/read-connections.ts'
import { readPage } from '../../../src/storage/events/event-log.ts'
import { searchesOf } from '../../parity/list-filter-cases.ts'
import { readGraphQL, readRest } from '../../parity/read-apis.ts'
import { CASES, furnish } from '../../parity/read-cases.ts'
import { serveWorld } from '../../support/serve-world.ts'
import type { World } from '../../support/world.ts'

/** Reads that ask other machines, which are none here: what they read of the database is one row. */
const ASK_OTHERS = new Set(['getGitBranches', 'getGitRepositories', 'getHostDns'])

/** What the statements of one read cost at one size. */
export interface Cost {
  read: string
  statements: number
  ms: number
  /** Pages of tables and indexes that were read. */
  buffers: number
  /** Scans of whole tables that tenants fill, and sorts of more than a page below a limit. */
  violations: string[]
}

interface Asked {
  text: string
  values: unknown[]
}

/** Tables with more rows are ones that tenants fill. */
const LARGE_ROWS = 1_000
/** A sort of no more rows than the largest page needs no index. */
const PAGE_ROWS = 200
/** Of the environment that is read: more than anybody pages through. */
const MAX_VERSIONS = 1_000

export type Growing = Awaited<ReturnType<typeof createGrowing>>

/** One account of any number of apps, and the reads of both APIs on it. */
export async function createGrowing(world: World) {
  const place = await furnish(world)
  const served = serveWorld(world)
  const { database, adminToken } = world
  const client = new pg.Client({ connectionString: world.url, options: '-c TimeZone=UTC -c jit=off' })
  client.on('error', () => {})
  await client.connect()
  let size = 1

  /** Copies what `furnish` made, so that rows are as the services make them. */
  async function grow(to: number): Promise<void> {
    const range = `generate_series(${size}, ${to - 1}) n`
    const id = (prefix: string, at = 'n') => `'${prefix}_0' || lpad((${at})::text, 25, '0')`
    const copy = async (table: string, where: string, rows: string, changes: Record<string, string>) => {
      const json = Object.entries(changes).map(([column, sql]) => `'${column}', ${sql}`)
      await client.query(`INSERT INTO ${table} SELECT copied.* FROM ${table} s, ${rows},
        LATERAL jsonb_populate_record(s, jsonb_build_object(${json.join(', ')})) copied
        WHERE s.ctid = (SELECT ctid FROM ${table} WHERE ${where} LIMIT 1)`)
    }
    const { appId, appEnvId, accountId, operationId } = place
    await copy('app', `id = '${appId}'`, range, { id: id('app'), slug: `'app-' || n`, name: `'App ' || n` })
    const names = { cli_env_name: `'cli-' || n`, deployment_name: `'dep-' || n`, slug: `'env-' || n` }
    const none = { current_content_id: 'NULL', volume_id: 'NULL', service_credentials_id: 'NULL' }
    await copy('app_env', `id = '${appEnvId}'`, range, { id: id('env'), app_id: id('app'), ...names, ...none })
    const ofContent = { id: id('con'), app_env_id: id('env') }
    await copy('content', `app_env_id = '${appEnvId}'`, range, ofContent)
    const ofOperation = { id: id('op'), app_env_id: id('env'), content_id: 'NULL' }
    await copy('operation', `id = '${operationId}'`, range, ofOperation)
    const versions = `generate_series(${Math.min(size, MAX_VERSIONS)}, ${Math.min(to, MAX_VERSIONS) - 1}) n`
    const later = `to_jsonb(s.created_at + n * interval '1 minute')`
    const version = { id: id('con', 'n + 1000000000'), version: 'n + 1000', created_at: later, deployed_at: later }
    await copy('content', `app_env_id = '${appEnvId}'`, versions, version)
    const scaled = { id: id('op', 'n + 1000000000'), created_at: later, content_id: 'NULL', kind: `'APPLY_CHANGES'` }
    await copy('operation', `id = '${operationId}'`, versions, scaled)
    const sequence = `n + 1000000`
    await copy('event', `event_sequence_id = '${accountId}'`, range, { sequence, app_env_id: id('env') })
    await copy('audit_entry', `event_sequence_id = '${accountId}'`, range, { id: id('aud'), sequence })
    // Beyond all copies: reads of secrets write audit entries of their own.
    await client.query(`UPDATE event_sequence SET last_event_sequence = 10000000, last_audit_sequence =
      greatest(last_audit_sequence, 10000000), expired_sequence = 0 WHERE id = '${accountId}'`)
    await growLog(client, appEnvId, size, to)
    size = to
    await client.query('VACUUM ANALYZE')
  }

  async function measure(): Promise<Cost[]> {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples > ${LARGE_ROWS}`,
    )
    const large = new Set(rows.map(({ name }) => name))
    const costs: Cost[] = []
    for (const [read, run] of Object.entries(readsOf(place))) {
      const asked = await recorded(run)
      const explained = []
      for (const one of asked) explained.push(await explain(client, one, large))
      costs.push({
        read,
        statements: asked.length,
        ms: sum(explained.map(({ ms }) => ms)),
        buffers: sum(explained.map(({ buffers }) => buffers)),
        violations: [...new Set(explained.flatMap(({ violations }) => violations))],
      })
    }
    return costs
  }

  function readsOf(at: typeof place): Record<string, () => Promise<unknown>> {
    const cases = Object.entries(CASES).filter(([name]) => !ASK_OTHERS.has(name))
    const rest = cases.map(([name, { query }]) => {
      return [`REST ${name}`, () => must(readRest(served, adminToken, name, query?.(at)))] as const
    })
    const graphql = cases.map(([name, { field }]) => {
      return [`GraphQL ${name}`, () => must(readGraphQL(served, adminToken, field(at)))] as const
    })
    const searches = searchesOf(at).map(({ name, list, query }) => {
      return [`REST ${name}`, () => must(readRest(served, adminToken, list, query))] as const
    })
    const events = () => readPage(database, at.accountId, 1_000_000n)
    const deep = `apps(first: 20, after: "${Buffer.from(`GPC:S:${at.appId}`).toString('base64')}") { nodes { id } }`
    const nested =
      'apps(first: 20) { nodes { id appEnvs(first: 10) { nodes { id status latestDeployment { version } } } } }'
    const pages = { 'GraphQL apps after a cursor': deep, 'GraphQL apps with environments': nested }
    const others = Object.entries(pages).map(([name, field]) => {
      return [name, () => must(readGraphQL(served, adminToken, field))] as const
    })
    return { ...Object.fromEntries([...rest, ...searches, ...graphql, ...others]), 'events of an account': events }
  }

  return {
    accountId: place.accountId,
    grow,
    measure,
    async close() {
      await client.end()
      await served.close()
    },
  }
}

async function growLog(client: pg.Client, appEnvId: string, from: number, to: number): Promise<void> {
  const stream = await client.query(
    `INSERT INTO log_stream (app_env_id, kind, last_number) VALUES ($1, 'CONTAINERS', ${to})
     ON CONFLICT (app_env_id, kind) DO UPDATE SET last_number = ${to} RETURNING id`,
    [appEnvId],
  )
  await client.query(
    `INSERT INTO log_line (log_stream_id, number, container_id, at, is_error, message)
     SELECT $1, n, coalesce((SELECT min(id) FROM container), 0), (extract(epoch FROM now()) * 1000)::bigint * 1000000 + n,
       false, 'line ' || n FROM generate_series(${from}::bigint, ${to - 1}::bigint) n`,
    [stream.rows[0].id],
  )
}

async function must(reading: Promise<{ code: string | null; body: unknown }>): Promise<void> {
  const { code, body } = await reading
  if (code !== null) throw new Error(`${code}: ${JSON.stringify(body)}`)
}

/** The statements that PostgreSQL was asked meanwhile, with their values; each text once. */
async function recorded(run: () => Promise<unknown>): Promise<Asked[]> {
  const { askRows } = ReadConnections.prototype
  const { query } = pg.Client.prototype
  const asked = new Map<string, Asked>()
  ReadConnections.prototype.askRows = function noted(one) {
    asked.set(one.text, one)
    return askRows.call(this, one)
  }
  pg.Client.prototype.query = function noted(this: pg.Client, config: unknown, values: unknown, ...rest: unknown[]) {
    const { text, values: own } = (typeof config === 'string' ? { text: config } : config) as Partial<Asked>
    const given = own ?? (Array.isArray(values) ? values : [])
    // The reader's own statements hide their values, and are noted above.
    if (text && (own || !/\$1/.test(text))) asked.set(text, { text, values: given })
    return (query as (...args: unknown[]) => unknown).call(this, config, values, ...rest)
  } as typeof query
  try {
    await run()
  } finally {
    ReadConnections.prototype.askRows = askRows
    pg.Client.prototype.query = query
  }
  return [...asked.values()].filter(({ text }) => /^\s*(SELECT|WITH)\b/i.test(text))
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

async function explain(client: pg.Client, { text, values }: Asked, large: ReadonlySet<string>) {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
  const [{ Plan: plan, 'Execution Time': ms }] = rows[0]['QUERY PLAN'] as [{ Plan: PlanNode; 'Execution Time': number }]
  const violations = violationsOf(plan, large, false).map(
    (what) => `${what}: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`,
  )
  return { ms, buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], violations }
}

function violationsOf(node: PlanNode, large: ReadonlySet<string>, isLimited: boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans: below = [] } = node
  const found = below.flatMap((plan) => violationsOf(plan, large, isLimited || type === 'Limit'))
  if (type === 'Seq Scan' && large.has(table)) found.push(`sequential scan of ${table}`)
  const [input] = below
  const sorted = input ? input['Actual Rows'] * input['Actual Loops'] : 0
  if (type === 'Sort' && isLimited && sorted > PAGE_ROWS) found.push(`sort of ${sorted} rows below a limit`)
  return found
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
