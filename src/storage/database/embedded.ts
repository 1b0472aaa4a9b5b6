import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { draftOf, makeFolder, moveIntoPlaceSync, syncFolder, writeDurably } from '../files/durable-files.ts'
import { databaseFault } from './away.ts'
import { type Access, accessTo, prepareDatabase } from './database-roles.ts'
import { findServer, initialise, launch, rememberPort, shutDown } from './postgres-server.ts'
import { assertHasDatabase, explainServer, isPassing } from './server-faults.ts'
import { newPassword, passwordFile, replaceLostPassword, superuserPassword } from './superuser-password.ts'

const STOP_TIMEOUT_SECONDS = 20
const REVIVE_PAUSE_MS = 1_000
const RETRY_MS = 250
/** Consecutive failures by a permanent cause, after which more attempts do not help. */
const MAX_FAULTS = 3

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
  /** Gets what an operator should know of. */
  warn?: (message: string) => void
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
  const { dataDir, settings = {}, startTimeoutSeconds = 60, isRevived = true, warn = warnOnStderr } = options
  makeFolder(dataDir)
  // One canonical name per folder: a running server is recognised by the folder it was started with.
  const folder = join(realpathSync(dataDir), 'postgres')
  if (!existsSync(folder)) await create(folder)
  // The process that made it may have been killed before the name was on the disk.
  syncFolder(dirname(folder))
  assertHasDatabase(folder)
  const stopping = new AbortController()
  const start = () => bringUp(folder, { settings, startTimeoutSeconds, warn }, stopping.signal)
  const { access, holder } = await start()
  const use = { holder, reviving: Promise.resolve() }
  const watch = () => {
    if (!isRevived) return
    use.holder.once('end', () => {
      if (!stopping.signal.aborted) use.reviving = revive(start, warn, stopping.signal).then(takeOver)
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
async function revive(
  start: () => Promise<{ holder: pg.Client }>,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<pg.Client | null> {
  let said = ''
  const sayOnce = (error: Error) => {
    const [reason = ''] = error.message.split('\n')
    if (reason !== said && !signal.aborted) warn(reason)
    said = reason
    return null
  }
  while (!signal.aborted) {
    const revived = await start().catch(sayOnce)
    if (revived) return revived.holder
    await sleep(REVIVE_PAUSE_MS, undefined, { signal }).catch(() => {})
  }
  return null
}

const warnOnStderr = (message: string) => void process.stderr.write(`${message}\n`)

/** Finds the server running or starts it, and marks it as used. */
async function bringUp(
  folder: string,
  { settings, startTimeoutSeconds, warn }: Required<Omit<EmbeddedOptions, 'dataDir' | 'isRevived'>>,
  signal: AbortSignal,
) {
  const deadline = performance.now() + startTimeoutSeconds * 1000
  let fault: unknown = null
  const keepFault = (error: unknown) => {
    fault = error
    return null
  }
  for (let faults = 0; faults < MAX_FAULTS && performance.now() < deadline && !signal.aborted; await sleep(RETRY_MS)) {
    const password = await replaceLostPassword(folder, deadline)
    if (password.state === 'busy') continue
    if (password.state === 'replaced') warn(`${password.fault}. Berth has set a new one.`)
    const hasEnded = !findServer(folder)?.ready && (await launchExplained(folder, settings, deadline))
    const port = findServer(folder)?.port
    const access = embeddedAccess(folder, port ?? 0)
    fault = null
    const holder = port ? await hold(access).catch(keepFault) : null
    if (holder && port) {
      rememberPort(folder, port)
      return { access, holder }
    }
    // Another process may be stopping or starting the server at this very moment.
    const isFault = fault !== null || (hasEnded && !findServer(folder) && !isPassing(folder))
    faults = isFault ? faults + 1 : 0
  }
  if (fault) throw refusal(folder, fault)
  throw new Error(`PostgreSQL in ${folder} does not start. ${explainServer(folder)}`)
}

async function launchExplained(folder: string, settings: Record<string, string>, deadline: number): Promise<boolean> {
  try {
    return await launch(folder, settings, deadline)
  } catch (error) {
    throw new Error(`PostgreSQL in ${folder} cannot be started. ${explainServer(folder, error)}`)
  }
}

/** The ways into the server in the folder. */
export const embeddedAccess = (folder: string, port: number): Access => accessTo(port, superuserPassword(folder))

/** Created under another name and moved into place whole, so that a killed start leaves nothing half-done. */
async function create(folder: string): Promise<void> {
  const draft = `${draftOf(folder)}.tmp`
  try {
    mkdirSync(draft, { mode: 0o700 })
    const password = newPassword()
    // It syncs the database that it makes; the password’s folder is that of the database.
    await initialise(draft, password)
    writeDurably(passwordFile(draft), password)
    moveIntoPlaceSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another process was faster; its result is as good.
    if (existsSync(folder)) return
    throw new Error(`The database could not be made in ${folder}. ${explainServer(folder, error)}`)
  }
}

/** What no further attempt changes. */
const LASTING = new Set(['DATABASE_REFUSES', 'DATABASE_FULL', 'DATABASE_READ_ONLY'])

function refusal(folder: string, error: unknown): Error {
  const file = passwordFile(folder)
  if (databaseFault(error) === 'DATABASE_REFUSES')
    return new Error(
      `PostgreSQL in ${folder} refuses the password in ${file}: ${(error as Error).message}. ` +
        'Restore that file from the backup that the folder is from. ' +
        `If there is none, stop Berth, delete ${file} and start again: Berth sets a new password.`,
    )
  return new Error(`The database in ${folder} cannot be prepared. ${explainServer(folder, error)}`)
}

/**
 * A connection that marks the server as used by this process, or null when the server is not going to stay. Throws when
 * it answers and does not let Berth in, or cannot write.
 */
export async function hold(access: Access): Promise<pg.Client | null> {
  const client = await connect(access).catch((error: unknown) => {
    if (LASTING.has(databaseFault(error) ?? '')) throw error
    return null
  })
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

/** Ends the use of the server, and stops it if no other process uses it. */
export async function release(holder: pg.Client, folder: string): Promise<void> {
  const isLast = await holder
    .query<{ last: boolean }>('SELECT pg_advisory_unlock_shared($1), pg_try_advisory_lock($1) AS last', [USE_LOCK])
    .then(({ rows }) => rows[0]?.last ?? false)
    .catch(() => false)
  if (isLast) await shutDown(folder, STOP_TIMEOUT_SECONDS)
  await holder.end().catch(() => {})
}
