import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { faultInWords } from '../files/file-faults.ts'
import { logTail } from './postgres-server.ts'

/** A server needs more than this for its log of writes and its lock file. */
const MIN_FREE_BYTES = 1_048_576

/** Temporary causes: another process starts or stops the server, or what is left of it ends. */
const PASSING =
  /lock file "[^"]*" (already exists|is empty)|already in use|pre-existing shared memory|Is another postmaster/

const FULL = 'Its disk is full. Free some space, then start again.'
const READ_ONLY =
  'Its file system is read-only. Make it writable (mount -o remount,rw), then start again; if the system made it so, look for errors of the disk first.'

/** By what PostgreSQL says; the first that matches. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|Disk quota exceeded/, FULL],
  [/Read-only file system/, READ_ONLY],
  [
    /has wrong ownership/,
    'Its files belong to another user, as after a copy without owners. Copy them with cp -a, or give them to the user that it had.',
  ],
  [/has invalid permissions/, 'Other users may enter its folder. Run: chmod 700 on it, then start again.'],
  [
    /database files are incompatible with server/,
    'It was made by another version of PostgreSQL. Start the Berth that it is from.',
  ],
  [
    /could not locate a valid checkpoint record|could not find the database system|invalid data in file|incorrect checksum in control file/,
    'Its files are damaged. Restore the data directory from your backup.',
  ],
]

export const isPassing = (folder: string): boolean => PASSING.test(logTail(folder))

/** Why the server in the folder does not run, and what to do; `error` is what a call said, if one failed. */
export function explainServer(folder: string, error: unknown = null): string {
  const said = error instanceof Error ? error.message : logTail(folder)
  const advice = diskAdvice(folder) ?? ADVICE.find(([pattern]) => pattern.test(said))?.[1] ?? faultAdvice(error)
  return advice ? `${advice}${said ? `\n${said}` : ''}` : said
}

/** On a full disk, PostgreSQL cannot even log that it is full. */
function diskAdvice(folder: string): string | null {
  const place = statSync(folder, { throwIfNoEntry: false }) ? folder : dirname(folder)
  try {
    accessSync(place, constants.W_OK)
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize < MIN_FREE_BYTES ? FULL : null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? READ_ONLY : faultAdvice(error)
  }
}

function faultAdvice(error: unknown): string | null {
  const fault = faultInWords(error)
  const { path } = (error ?? {}) as NodeJS.ErrnoException
  return fault ? `${path ?? 'A file of it'} cannot be used: ${fault}.` : null
}

/** Throws where the folder holds no database: a copy that is not whole, or one that a power cut has emptied. */
export function assertHasDatabase(folder: string): void {
  const file = join(folder, 'data', 'PG_VERSION')
  const found = statSync(file, { throwIfNoEntry: false })
  if (found && found.size > 0) return
  throw new Error(
    `${folder} holds no database: ${file} is ${found ? 'empty' : 'missing'}. ` +
      `Restore the data directory from your backup. If there was nothing in it yet, delete ${folder} and start again.`,
  )
}
