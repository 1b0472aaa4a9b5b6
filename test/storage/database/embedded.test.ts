import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { findServer, shutDown } from '../../../src/storage/database/postgres-server.ts'
import { findMissingRights, INGRESS_RIGHTS, ownerRights } from '../../../src/storage/database/rights.ts'
import { mountSmallDisk, smallDiskProblem } from '../../crash/harness/small-disk.ts'
import { copyServer } from '../../support/copy-server.ts'

let dataDir: string
const folder = () => join(dataDir, 'postgres')

beforeEach(() => {
  // Private, like root's home: the server's own user could not even list it.
  dataDir = mkdtempSync(join(tmpdir(), 'berth-embedded-'))
  chmodSync(dataDir, 0o700)
})

afterEach(async () => {
  await shutDown(folder(), 5)
  rmSync(dataDir, { recursive: true, force: true })
})

/** What an earlier start has left, for tests that are not about the first. */
const createdBefore = () => copyServer(inject('postgresTemplate'), dataDir)

async function query<Row = unknown>(url: string, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, [...values])).rows as Row[]
  } finally {
    await client.end()
  }
}

/** Another process that uses the same data folder, until it is killed or stopped. */
async function startElsewhere(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawnElsewhere()
  const [line] = await once(child.stdout, 'data')
  return { child, url: String(line).trim() }
}

function spawnElsewhere() {
  const module = join(import.meta.dirname, '../../../src/storage/database/embedded.ts')
  const program = `
    import { startEmbeddedPostgres } from ${JSON.stringify(module)}
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })
    process.once('SIGTERM', () => server.stop().then(() => process.exit(0)))
    console.log(server.url)`
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

describe('the embedded PostgreSQL', () => {
  test('restarts with all committed data when it is killed', async () => {
    createdBefore()
    const server = await startEmbeddedPostgres({ dataDir })
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const before = findServer(folder())
    process.kill(before?.pid ?? 0, 'SIGKILL')
    await vi.waitFor(async () => expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]), {
      timeout: 60_000,
      interval: 100,
    })
    expect(findServer(folder())?.pid).not.toBe(before?.pid)
    await server.stop()
    expect(findServer(folder())).toBeNull()
  })

  test('keeps its data, its password and its port from one start to the next', async () => {
    const first = await startEmbeddedPostgres({ dataDir })
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    expect(findServer(folder())).toBeNull()
    const second = await startEmbeddedPostgres({ dataDir })
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    await second.stop()
  })

  test('listens on loopback only, flushes what it commits, and keeps its password to itself', async () => {
    const server = await startEmbeddedPostgres({ dataDir })
    const setting = async (name: string) =>
      Object.values((await query(server.superuserUrl, `SHOW ${name}`))[0] as object)[0]
    expect(await setting('listen_addresses')).toBe('127.0.0.1')
    expect(await setting('unix_socket_directories')).toBe('')
    expect(await setting('fsync')).toBe('on')
    expect(await setting('synchronous_commit')).toBe('on')
    expect(statSync(join(folder(), 'password')).mode & 0o777).toBe(0o600)
    const guess = new URL(server.url)
    guess.password = 'guess'
    await expect(query(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
    await server.stop()
  })

  test('lets Berth in as the owner of one database, and an ingress alone to the routes', async () => {
    const server = await startEmbeddedPostgres({ dataDir })
    await migrate(server.url)
    const rights =
      'SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolbypassrls AS more FROM pg_roles WHERE rolname = current_user'
    for (const url of [server.url, server.ingressUrl]) {
      expect(await query(url, rights)).toEqual([{ more: false }])
      for (const sql of [`COPY host TO PROGRAM 'id'`, `SELECT pg_read_file('/etc/passwd')`, 'CREATE ROLE other'])
        await expect(query(url, sql)).rejects.toMatchObject({ code: '42501' })
    }
    const listTables = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
    const tables = await query<{ name: string }>(server.url, listTables)
    const wanted = {
      [server.url]: ownerRights(tables.map(({ name }) => name)),
      [server.ingressUrl]: INGRESS_RIGHTS,
    }
    for (const [url, list] of Object.entries(wanted))
      expect(await findMissingRights((sql, values) => query(url, sql, values), list)).toBeNull()
    expect(await query(server.ingressUrl, 'SELECT host FROM host')).toEqual([])
    for (const sql of [
      'SELECT data_key FROM account',
      'SELECT hash FROM token',
      'DELETE FROM host',
      'CREATE TABLE t ()',
    ])
      await expect(query(server.ingressUrl, sql)).rejects.toMatchObject({ code: '42501' })
    await server.stop()
  })

  test('takes a data directory over in which the superuser owned everything', async () => {
    const first = await startEmbeddedPostgres({ dataDir })
    await migrate(first.url)
    const asBefore = ['REASSIGN OWNED BY berth_owner TO berth', 'DROP OWNED BY berth_owner, berth_ingress']
    for (const sql of [
      ...asBefore,
      'REVOKE CONNECT ON DATABASE berth FROM berth_ingress',
      'DROP ROLE berth_ingress, berth_owner',
    ])
      await query(first.superuserUrl, sql)
    await first.stop()
    const second = await startEmbeddedPostgres({ dataDir })
    const owners = `SELECT DISTINCT owner FROM (SELECT tableowner AS owner FROM pg_tables WHERE schemaname = 'public'
      UNION ALL SELECT sequenceowner FROM pg_sequences UNION ALL SELECT pg_get_userbyid(typowner) FROM pg_type
      WHERE typtype = 'e' AND typnamespace = 'public'::regnamespace) AS all_of_them`
    expect(await query(second.url, owners)).toEqual([{ owner: 'berth_owner' }])
    expect(await migrate(second.url)).toEqual([])
    expect(await query(second.ingressUrl, 'SELECT host FROM host')).toEqual([])
    await second.stop()
  })

  test('says once why it is not back when it has died, and is back when that is mended', async () => {
    createdBefore()
    const warned: string[] = []
    const server = await startEmbeddedPostgres({ dataDir, warn: (message) => warned.push(message) })
    await using _ended = { [Symbol.asyncDispose]: server.stop }
    const control = join(folder(), 'data', 'global', 'pg_control')
    renameSync(control, `${control}.away`)
    process.kill(findServer(folder())?.pid ?? 0, 'SIGKILL')
    await vi.waitFor(() => expect(warned).toHaveLength(1), { timeout: 60_000 })
    expect(warned[0]).toContain(`PostgreSQL in ${folder()} does not start.`)
    await sleep(1_500)
    renameSync(`${control}.away`, control)
    const isBack = async () => expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await vi.waitFor(isBack, { timeout: 60_000, interval: 100 })
    expect(warned).toHaveLength(1)
  })

  test('outlives a killed process, and the next process adopts it', async () => {
    createdBefore()
    const { child, url } = await startElsewhere()
    await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    const before = findServer(folder())?.pid
    await end(child, 'SIGKILL')
    const adopted = await startEmbeddedPostgres({ dataDir })
    expect(findServer(folder())?.pid).toBe(before)
    expect(await query(adopted.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    await adopted.stop()
    expect(findServer(folder())).toBeNull()
  })

  test('is stopped by the last process that uses it, whoever started it', async () => {
    createdBefore()
    const { child } = await startElsewhere()
    const second = await startEmbeddedPostgres({ dataDir })
    await end(child, 'SIGTERM')
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await second.isShared()).toBe(false)
    const third = await startEmbeddedPostgres({ dataDir })
    expect(await second.isShared()).toBe(true)
    await third.stop()
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await second.stop()
    expect(findServer(folder())).toBeNull()
  })

  test('is created once when two processes start at the same time', async () => {
    const [first, second] = await Promise.all([startElsewhere(), startElsewhere()])
    expect(first.url).toBe(second.url)
    await Promise.all([end(first.child, 'SIGTERM'), end(second.child, 'SIGTERM')])
    expect(findServer(folder())).toBeNull()
  })

  test('ignores a pid file whose number belongs to another program', async () => {
    createdBefore()
    const first = await startEmbeddedPostgres({ dataDir })
    const pidFile = join(folder(), 'data', 'postmaster.pid')
    const lines = readFileSync(pidFile, 'utf8').split('\n')
    await first.stop()
    lines[0] = String(process.pid)
    writeFileSync(pidFile, lines.join('\n'))
    const second = await startEmbeddedPostgres({ dataDir })
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await second.stop()
  })

  test('starts beside an empty pid file, as a power cut may leave it', async () => {
    createdBefore()
    writeFileSync(join(folder(), 'data', 'postmaster.pid'), '')
    const server = await startEmbeddedPostgres({ dataDir })
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await server.stop()
  })

  test('says at once that its folder holds no database', async () => {
    mkdirSync(join(folder(), 'data'), { recursive: true })
    writeFileSync(join(folder(), 'password'), 'unused')
    const version = join(folder(), 'data', 'PG_VERSION')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`${version} is missing`)
    writeFileSync(version, '')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`${version} is empty`)
  })

  test('says at once why it cannot start', async () => {
    createdBefore()
    rmSync(join(folder(), 'data', 'global', 'pg_control'))
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      /does not start\..*could not find the database system/s,
    )
  })
})

const diskProblem = smallDiskProblem()
if (diskProblem) console.warn(`A database on a disk that is full or read-only is not tested: ${diskProblem}`)

describe.skipIf(diskProblem !== null)('the embedded PostgreSQL on a disk of its own', () => {
  test('says at once that the disk is full, and starts when there is room', async () => {
    using disk = mountSmallDisk(160)
    const onDisk = join(disk.folder, 'new')
    await using _ended = { [Symbol.asyncDispose]: () => shutDown(join(onDisk, 'postgres'), 5) }
    disk.fill()
    await expect(startEmbeddedPostgres({ dataDir: onDisk })).rejects.toThrow(
      /could not be made in .* Its disk is full\./,
    )
    expect(readdirSync(onDisk)).toEqual([])
    disk.free()
    copyServer(inject('postgresTemplate'), onDisk)
    // Emptied, it would leave room for the lock file of the server.
    rmSync(join(onDisk, 'postgres', 'server.log'), { force: true })
    disk.fill()
    await expect(startEmbeddedPostgres({ dataDir: onDisk })).rejects.toThrow(
      /does not start\. Its disk is full\. Free some space/,
    )
    disk.free()
    const server = await startEmbeddedPostgres({ dataDir: onDisk })
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await server.stop()
  })

  test('says at once that the disk is read-only, and starts when it is not', async () => {
    using disk = mountSmallDisk(160)
    await using _ended = { [Symbol.asyncDispose]: () => shutDown(join(disk.folder, 'postgres'), 5) }
    copyServer(inject('postgresTemplate'), disk.folder)
    disk.setWritable(false)
    await expect(startEmbeddedPostgres({ dataDir: disk.folder })).rejects.toThrow(
      /cannot be started\. Its file system is read-only\. Make it writable/,
    )
    disk.setWritable(true)
    const server = await startEmbeddedPostgres({ dataDir: disk.folder })
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await server.stop()
  })
})

describe('the password of the embedded PostgreSQL', () => {
  const password = () => join(folder(), 'password')

  test.each([
    ['is missing', 'not there', null],
    ['is empty', 'of no bytes', ''],
    ['is empty', 'of zero bytes', '\0'.repeat(48)],
  ])('is set anew when its file %s (%s), and nothing else is lost', async (fault, _, content) => {
    createdBefore()
    const former = readFileSync(password(), 'utf8')
    const before = await startEmbeddedPostgres({ dataDir })
    await query(before.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    // As a power cut ends it.
    process.kill(findServer(folder())?.pid ?? 0, 'SIGQUIT')
    await before.stop()
    await vi.waitFor(() => expect(findServer(folder())).toBeNull())
    if (content === null) rmSync(password())
    else writeFileSync(password(), content)
    const warned: string[] = []
    const server = await startEmbeddedPostgres({ dataDir, warn: (message) => warned.push(message) })
    expect(warned).toEqual([`${password()}, the password of the database, ${fault}. Berth has set a new one.`])
    expect(readFileSync(password(), 'utf8')).toMatch(/^[0-9a-f]{48}$/)
    expect(readFileSync(password(), 'utf8')).not.toBe(former)
    expect(statSync(password()).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder()).filter((name) => name.startsWith('password'))).toEqual(['password'])
    expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    expect(await query(server.ingressUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await server.stop()
  })

  test('is set by the next start where one was killed in between', async () => {
    createdBefore()
    rmSync(password())
    const draft = '5e'.repeat(24)
    for (const isInDatabase of [false, true]) {
      if (isInDatabase) renameSync(password(), join(folder(), 'password.next'))
      else writeFileSync(join(folder(), 'password.next'), draft)
      const server = await startEmbeddedPostgres({ dataDir, warn: () => {} })
      expect(readFileSync(password(), 'utf8')).toBe(draft)
      await server.stop()
    }
  })

  test('is set in the end, whenever a start that sets it is killed', async () => {
    createdBefore()
    for (const afterMs of [150, 300, 450, 600]) {
      rmSync(password(), { force: true })
      const killed = spawnElsewhere()
      await sleep(afterMs)
      await end(killed, 'SIGKILL')
      const server = await startEmbeddedPostgres({ dataDir, warn: () => {} })
      expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      await server.stop()
      expect(readdirSync(folder()).filter((name) => name.startsWith('password'))).toEqual(['password'])
    }
  })

  test('is the same for all when several processes find it lost', async () => {
    createdBefore()
    rmSync(password())
    const others = await Promise.all([startElsewhere(), startElsewhere(), startElsewhere()])
    expect(new Set(others.map(({ url }) => url)).size).toBe(1)
    await Promise.all(others.map(({ child }) => end(child, 'SIGTERM')))
    expect(findServer(folder())).toBeNull()
  })

  test('is not touched while a server runs: the process to stop is named at once', async () => {
    createdBefore()
    const server = await startEmbeddedPostgres({ dataDir, isRevived: false })
    const kept = readFileSync(password())
    rmSync(password())
    const { pid } = findServer(folder()) ?? {}
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      `${password()}, the password of the database, is missing. PostgreSQL runs (process ${pid})`,
    )
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    writeFileSync(password(), kept)
    await server.stop()
  })

  test('that the database does not know is named at once, with what to do', async () => {
    createdBefore()
    writeFileSync(password(), 'of another folder')
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      new RegExp(
        `refuses the password in ${password()}: password authentication failed.*delete ${password()} and start`,
      ),
    )
    await shutDown(folder(), 5)
    rmSync(password())
    const server = await startEmbeddedPostgres({ dataDir, warn: () => {} })
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await server.stop()
  })
})
