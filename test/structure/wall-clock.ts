import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, '../../src')

/** Files that ask the wall clock, and what the others say by theirs that they compare it with. */
const READERS: Readonly<Record<string, string>> = {
  'network/addresses/ask-address.ts': 'when a server wants to be asked again',
  'network/git/github-app.ts': 'when GitHub’s tokens begin and end',
  'storage/database/database-probe.ts': 'the clock of the database, and whether one of the two jumped',
  'ingress/http1/client-answer.ts': 'the Date of an answer',
  'platform/doctor/certificate.ts': 'when certificates end',
  'platform/doctor/registry.ts': 'the clock of a registry',
  'engines/docker/runtime/holder.ts': 'when the engine created a container',
  'engines/docker/runtime/watch.ts': 'when the engine’s events happened',
  'storage/secrets/git-signature.ts': 'when a provider signed a push',
  'calls/authenticate.ts': 'when a token expires',
  'api/sign-in/browser-calls.ts': 'when a session ends',
  'worker/housekeeping/delete-expired.ts': 'when files were written',
  'worker/housekeeping/sweep-backups.ts': 'when files were written',
  'worker/housekeeping/sweep-images.ts': 'when the engine created an image',
  'worker/runs/begin-attempt.ts': 'since when the engine is asked for output',
  'worker/runs/run-output.ts': 'until when output is kept',
}

/** Files of `src/` that read the wall clock, which anybody may set, and are not listed above; and listed ones that do not. */
export function wallClockReaders(): { count: number; unlisted: string[]; idle: string[] } {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => name.endsWith('.ts') && !name.includes('generated'))
  const readers = sources.filter((name) => /\bDate\.now\(\)/.test(readFileSync(join(SOURCE, name), 'utf8')))
  return {
    count: readers.length,
    unlisted: readers.filter((name) => !(name in READERS)),
    idle: Object.keys(READERS).filter((name) => !readers.includes(name)),
  }
}
