import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createDurably, moveIntoPlaceSync } from '../files/durable-files.ts'
import { faultInWords } from '../files/file-faults.ts'
import { findServer, SUPERUSER, singleUserCommand } from './postgres-server.ts'
import { explainServer } from './server-faults.ts'

export const passwordFile = (folder: string): string => join(folder, 'password')

export const newPassword = (): string => randomBytes(24).toString('hex')

/** Null when it is lost: there is no file, or nothing in it. */
function readPassword(file: string): string | null {
  try {
    // Where a write never arrived, a disk has zero bytes or nothing.
    return readFileSync(file, 'utf8').replaceAll('\0', '').trim() || null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new Error(`${file} cannot be read: ${faultInWords(error) ?? code}. It holds the password of the database.`)
  }
}

/** The superuser’s password of the server in the folder. */
export function superuserPassword(folder: string): string {
  const password = readPassword(passwordFile(folder))
  if (password !== null) return password
  throw new Error(`${passwordFile(folder)}, the password of the database, ${faultOf(passwordFile(folder))}`)
}

const faultOf = (file: string) => (existsSync(file) ? 'is empty' : 'is missing')

/** `busy`: another process has the database, or replaces the password, at this moment. */
export type PasswordState = { state: 'present' | 'busy' } | { state: 'replaced'; fault: string }

/**
 * Sets a new password where the file with it is lost: the folder is ours, and a process that may write to it may read
 * all that the password protects. Killed at any point, it is finished by the next call: the
 * database has the new password before its file does, and until then the draft keeps it.
 */
export async function replaceLostPassword(folder: string, deadline: number): Promise<PasswordState> {
  const file = passwordFile(folder)
  // Asked first: the process that has replaced it starts a server next.
  const server = findServer(folder)
  if (readPassword(file) !== null) return { state: 'present' }
  const fault = `${file}, the password of the database, ${faultOf(file)}`
  if (server) {
    throw new Error(
      `${fault}. PostgreSQL runs (process ${server.pid}), so Berth cannot set another one. ` +
        `Stop every Berth on this data directory, and PostgreSQL if it still runs then (kill -INT ${server.pid}). ` +
        'Start again: Berth sets a new password.',
    )
  }
  const draft = `${file}.next`
  if (existsSync(draft) && readPassword(draft) === null) rmSync(draft)
  // Of several processes the first one chooses, so that each sets the same.
  createDurably(draft, newPassword())
  const password = readPassword(draft)
  if (password === null || !(await setPassword(folder, password, deadline))) return { state: 'busy' }
  try {
    moveIntoPlaceSync(draft, file)
  } catch (error) {
    // Another process has moved it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return { state: 'replaced', fault }
}

/**
 * In PostgreSQL’s single-user mode, which asks for no password and listens nowhere. False when another process has the
 * database at this moment: PostgreSQL lets only one in.
 */
async function setPassword(folder: string, password: string, deadline: number): Promise<boolean> {
  const { command, args, options } = await singleUserCommand(folder)
  const timeout = Math.max(1_000, Math.ceil(deadline - performance.now()))
  const child = spawn(command, args, { ...options, timeout, killSignal: 'SIGKILL', stdio: ['pipe', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  // It may have ended before it reads.
  child.stdin.on('error', () => {})
  // By the input: the arguments of a process are shown to every user.
  child.stdin.end(`ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`)
  const [code] = await once(child, 'close')
  if (code === 0 && !/^.*\b(ERROR|FATAL|PANIC):/m.test(complaint)) return true
  if (/lock file "[^"]*" already exists/.test(complaint)) return false
  const reason = explainServer(folder, new Error(complaint.trim() || `PostgreSQL ended with ${code}`))
  throw new Error(`A new password of the database in ${folder} could not be set. ${reason}`)
}
