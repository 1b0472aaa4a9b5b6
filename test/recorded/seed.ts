import pg from 'pg'

/** Rows that a worker would have written, so that reads have data. Only this file writes them. */

interface Seeded {
  appEnvId: string
  /** The version that serves, and the operation that deployed it. */
  contentId: string
  operationId: string
}

/** Nanoseconds of a time long ago, so that times in answers are the same in every run. */
const NOON = BigInt(Date.UTC(2021, 4, 6, 12)) * 1_000_000n

const LINES: readonly (readonly [container: number, isError: boolean, message: string])[] = [
  [0, false, 'listening on 8080'],
  [0, false, 'GET /users 200'],
  [1, true, 'Error: out of coffee'],
  [1, false, 'GET /100% 404'],
  [0, true, 'warning: slow query'],
  [2, false, 'said by a container that is gone'],
]

const BUILD_LINES = ['Step 1/2: FROM node:22', 'Step 2/2: COPY . /app', 'Successfully built']

async function connected(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** Containers, lines, metrics and observations of one running environment. */
export const seedObservations = (url: string, seeded: Seeded): Promise<void> =>
  connected(url, async (client) => {
    await seedHealth(client, seeded)
    await seedContainers(client, seeded)
    await seedLogs(client, seeded)
    await seedMetrics(client, seeded)
  })

async function seedHealth(client: pg.Client, { appEnvId, operationId }: Seeded): Promise<void> {
  await client.query(
    `INSERT INTO engine_host (id, region_code, name, engine_version, reachable, observed_at)
     VALUES ('engine-1', 'local', 'This machine', '28.0.1', true, '2021-05-06T12:00:00Z')`,
  )
  await client.query(
    `UPDATE app_env SET health = 'DEGRADED', replicas_desired = 2, replicas_running = 2, replicas_ready = 1,
       observed_at = '2021-05-06T12:00:10Z', observed_reason = '1 of 2 containers is not ready',
       restart_count = 3, last_restart_at = '2021-05-06T11:59:00Z', last_restart_reason = 'LIVENESS_FAILED'
     WHERE id = $1`,
    [appEnvId],
  )
  const steps = [
    { name: 'pull', startedAt: '2021-05-06T11:00:00.000Z', finishedAt: '2021-05-06T11:00:05.000Z', detail: 'shop:1' },
    { name: 'create', startedAt: '2021-05-06T11:00:05.000Z', finishedAt: '2021-05-06T11:00:06.000Z', detail: null },
    { name: 'ready', startedAt: '2021-05-06T11:00:06.000Z', finishedAt: null, detail: '1 of 2' },
  ]
  await client.query(`UPDATE operation SET steps = $2, attempt = 1 WHERE id = $1`, [operationId, JSON.stringify(steps)])
}

async function seedContainers(client: pg.Client, { appEnvId, contentId, operationId }: Seeded): Promise<void> {
  const container = (id: number, phase: string, more: Record<string, unknown> = {}) =>
    insert(client, 'container', {
      id: id + 1,
      container_id: `engine-id-${id}`,
      app_env_id: appEnvId,
      content_id: contentId,
      name: `berth-shop-v1-${id}`,
      phase,
      started_at: '2021-05-06T11:00:06Z',
      ...more,
    })
  await container(0, 'running')
  const killed = { last_exit_code: 137, last_exit_out_of_memory: true, last_exit_at: '2021-05-06T11:30:00Z' }
  await container(1, 'running', { restart_count: 2, ...killed })
  const gone = { finished_at: '2021-05-06T11:10:00Z', removed_at: '2021-05-06T11:20:00Z' }
  await container(2, 'exited', gone)
  const ended = { finished_at: '2021-05-06T11:10:00Z', last_exit_code: 0, last_exit_at: '2021-05-06T11:10:00Z' }
  await container(3, 'exited', ended)
  for (const [id, state] of [
    [0, 'READY'],
    [1, 'UNREADY'],
  ] as const)
    await insert(client, 'replica', {
      name: `berth-shop-v1-${id}`,
      app_env_id: appEnvId,
      content_id: contentId,
      rollout_id: operationId,
      index: id,
      container_id: `engine-id-${id}`,
      address: `10.0.0.${id + 2}`,
      port: 8080,
      state,
    })
}

async function seedLogs(client: pg.Client, { appEnvId, contentId }: Seeded): Promise<void> {
  await insert(client, 'container', {
    id: 9,
    container_id: contentId,
    app_env_id: appEnvId,
    content_id: contentId,
    name: 'build',
    phase: 'build',
    removed_at: '2021-05-06T10:59:00Z',
  })
  const logs = [
    ['CONTAINERS', LINES],
    ['BUILDS', BUILD_LINES.map((message) => [8, false, message] as const)],
  ] as const
  for (const [index, [kind, lines]] of logs.entries()) {
    const id = index + 1
    await insert(client, 'log_stream', { id, app_env_id: appEnvId, kind, last_number: lines.length })
    for (const [n, [container, isError, message]] of lines.entries())
      await insert(client, 'log_line', {
        log_stream_id: id,
        number: n + 1,
        container_id: container + 1,
        at: NOON + BigInt(n) * 1_000_000_000n,
        is_error: isError,
        message,
      })
  }
}

/** Samples of the same second are summed, so current ones must share a second. */
async function seedMetrics(client: pg.Client, { appEnvId }: Seeded): Promise<void> {
  const samples = (at: string, cpu: [number, number], memory: [number, number]) =>
    client.query(
      `INSERT INTO metric_sample (app_env_id, at, container_id, cpu_millicores, memory_mb, cpu_limit, memory_limit)
       SELECT $1, ${at}, id, cpu, memory, 1000, 512 FROM (VALUES (1, $2::int, $4::int), (2, $3, $5)) AS s (id, cpu, memory)`,
      [appEnvId, ...cpu, ...memory],
    )
  for (const [minute, cpu] of [100, 250, 333, 900].entries())
    await samples(`'2021-05-06T12:0${minute}:30Z'::timestamptz`, [cpu, 50], [128, 64 + minute])
  await samples('now()', [125, 75], [256, 100])
}

/** As if DNS had confirmed it. */
export const seedHostStatus = (url: string, host: string, status: string, reason: string | null): Promise<void> =>
  connected(url, async (client) => {
    await client.query(
      `UPDATE host SET status = $2::"HostStatus", reason = $3, was_valid = true,
         last_validation_at = '2021-05-06T12:00:00Z' WHERE host = $1`,
      [host, status, reason],
    )
  })

async function insert(client: pg.Client, table: string, row: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(row)
  await client.query(
    `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')})
     VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
}
