import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Access, accessTo, prepareDatabase } from './database-roles.ts'
import { findServer, initialise, launch, logTail, rememberPort, shutDown } from './postgres-server.ts'

const STOP_TIMEOUT_SECONDS = 20
const REVIVE_PAUSE_MS = 1_000

// Every process that uses the server holds this lock shared; the process that gets it exclusively stops the server.
// Unlike a file, the lock is released when its holder is killed.
const USE_LOCK = 7_236_784_002

// No such database; no such role, or one that may not log in yet.
const NOT_PREPARED = new Set(['3D000', '28000', '28P01'])

export interface EmbeddedOptions {
  dataDir: string
  /** Server settings beyond the default; tests trade durability for speed. */
  settings?: Record<string, string>
  startTimeoutSeconds?: number
  /** Whether a server that dies is restarted; true unless the caller restarts it. */
  isRevived?: boolean
}

export interface EmbeddedPostgres extends Access {
  /** Whether another process uses the server too. */
  isShared(): Promise<boolean>
  /** Stops the server, unless another process still uses it. */
  stop(): Promise<void>
}

/**
 * A real PostgreSQL in `<dataDir>/postgres`: created by the first call, adopted when one is already running there, and
 * restarted when it dies while in use.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {}, startTimeoutSeconds = 60, isRevived = true } = options
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // One canonical name per folder: a running server is recognised by the folder it was started with.
  const folder = join(realpathSync(dataDir), 'postgres')
  if (!existsSync(folder)) await create(folder)
  const stopping = new AbortController()
  const start = () => bringUp(folder, settings, startTimeoutSeconds, stopping.signal)
  const { access, holder } = await start()
  const use = { holder, reviving: Promise.resolve() }
  const watch = () => {
    if (!isRevived) return
    use.holder.once('end', () => {
      if (!stopping.signal.aborted) use.reviving = revive(start, stopping.signal).then(takeOver)
    })
  }
  const takeOver = (revived: pg.Client | null) => {
    if (!revived) return
    use.holder = revived
    watch()
  }
  watch()
  return {
    ...access,
    isShared: () => isShared(use.holder),
    async stop() {
      stopping.abort()
      await use.reviving
      await release(use.holder, folder)
    },
  }
}

/** Tries until it succeeds or is no longer wanted: without a database no other work is possible. */
async function revive(start: () => Promise<{ holder: pg.Client }>, signal: AbortSignal): Promise<pg.Client | null> {
  while (!signal.aborted) {
    const revived = await start().catch(() => null)
    if (revived) return revived.holder
    await sleep(REVIVE_PAUSE_MS, undefined, { signal }).catch(() => {})
  }
  return null
}

/** Finds the server running or starts it, and marks it as used. */
async function bringUp(
  folder: string,
  settings: Record<string, string>,
  startTimeoutSeconds: number,
  signal: AbortSignal,
) {
  const deadline = performance.now() + startTimeoutSeconds * 1000
  while (performance.now() < deadline && !signal.aborted) {
    if (!findServer(folder)?.ready) await launch(folder, settings, deadline)
    const port = findServer(folder)?.port
    const access = embeddedAccess(folder, port ?? 0)
    const holder = port ? await hold(access) : null
    if (holder && port) {
      rememberPort(folder, port)
      return { access, holder }
    }
    // Another process may be stopping or starting the server at this very moment.
    await sleep(250)
  }
  throw new Error(`PostgreSQL in ${folder} did not start within ${startTimeoutSeconds} s:\n${logTail(folder)}`)
}

/** The ways into the server in the folder. */
export const embeddedAccess = (folder: string, port: number): Access =>
  accessTo(port, readFileSync(join(folder, 'password'), 'utf8'))

/** Created under another name and moved into place whole, so that a killed start leaves nothing half-done. */
async function create(folder: string): Promise<void> {
  // Not the process id: containers that share the folder may have the same.
  const draft = `${folder}.${randomUUID()}.tmp`
  mkdirSync(draft, { mode: 0o700 })
  const password = randomBytes(24).toString('hex')
  await initialise(draft, password)
  writeFileSync(join(draft, 'password'), password, { mode: 0o600, flush: true })
  try {
    renameSync(draft, folder)
  } catch (error) {
    // Another process was faster; its result is as good.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

/** A connection that marks the server as used by this process, or null when the server is not going to stay. */
export async function hold(access: Access): Promise<pg.Client | null> {
  const client = await connect(access).catch(() => null)
  if (!client) return null
  try {
    await client.query('SELECT pg_advisory_lock_shared($1)', [USE_LOCK])
    return client
  } catch {
    await client.end().catch(() => {})
    return null
  }
}

/** As the owner of the database; the superuser is only asked when there is none yet, in a new cluster or an old one. */
async function connect(access: Access): Promise<pg.Client> {
  const client = clientFor(access.url)
  try {
    await client.connect()
    return client
  } catch (error) {
    const { code } = error as { code?: string }
    if (!NOT_PREPARED.has(code ?? '')) throw error
  }
  await prepareDatabase(access)
  const again = clientFor(access.url)
  await again.connect()
  return again
}

function clientFor(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'berth-holder',
    connectionTimeoutMillis: 5_000,
    lock_timeout: 5_000,
    keepAlive: true,
  })
  // When the server stops, its users will notice; this connection has nothing to lose.
  client.on('error', () => {})
  return client
}

async function isShared(holder: pg.Client): Promise<boolean> {
  const { rows } = await holder.query<{ shared: boolean }>(
    `SELECT count(*) > 1 AS shared FROM pg_locks
     WHERE locktype = 'advisory' AND classid = $1::bigint >> 32 AND objid = $1::bigint & x'ffffffff'::bigint`,
    [USE_LOCK],
  )
  return rows[0]?.shared ?? false
}

/** Ends the use of the server, and stops it if nobody else uses it. */
export async function release(holder: pg.Client, folder: string): Promise<void> {
  const isLast = await holder
    .query<{ last: boolean }>('SELECT pg_advisory_unlock_shared($1), pg_try_advisory_lock($1) AS last', [USE_LOCK])
    .then(({ rows }) => rows[0]?.last ?? false)
    .catch(() => false)
  if (isLast) await shutDown(folder, STOP_TIMEOUT_SECONDS)
  await holder.end().catch(() => {})
}
