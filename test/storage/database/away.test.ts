import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ProgramFailure } from '../../../src/builder/program.ts'
import { BuildFailure } from '../../../src/domain/build-failure.ts'
import { DomainError } from '../../../src/domain/errors.ts'
import { ImageError } from '../../../src/engines/images/image-builder.ts'
import { RuntimeError } from '../../../src/engines/runtime/container-runtime.ts'
import { BackupFailed } from '../../../src/storage/backups/backup-failed.ts'
import { ConnectionLost, databaseFault } from '../../../src/storage/database/away.ts'
import { VersionFailed } from '../../../src/worker/attempt/version-failed.ts'

/** What tenants’ programs, registries and git servers say in their last words, which failures quote. */
const WORDS = [
  'Container 0 exited with code 1\nError: connect ECONNREFUSED db:5432',
  'read ECONNRESET',
  'Connection terminated unexpectedly',
  'fatal: Connection closed by remote host',
  'terminating connection due to administrator command',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
]

const QUOTING: Readonly<Record<string, (words: string) => Error>> = {
  VersionFailed: (words) => new VersionFailed('CONTAINER_EXITED', words),
  RuntimeError: (words) => new RuntimeError('CONTAINER_START_FAILED', words),
  ImageError: (words) => new ImageError('REGISTRY_UNREACHABLE', words),
  BuildFailure: (words) => new BuildFailure('BUILD_FAILED', words),
  BackupFailed: (words) => new BackupFailed('BACKUP_FAILED', words),
  ProgramFailure: (words) => new ProgramFailure(words),
  DomainError: (words) => new DomainError('CONFLICT', undefined, words),
}

describe.each(Object.entries(QUOTING))('%s', (_name, make) => {
  test.each(WORDS)('is no fault of the database, whatever it quotes: %s', (words) => {
    expect(databaseFault(make(words))).toBeNull()
  })
})

test('every class of failures is among them', () => {
  const folder = join(import.meta.dirname, '../../../src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const classes = sources.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^export class (\w+) extends Failure/gm)].map(
      ([, one]) => one,
    ),
  )
  // It has two fixed reasons and no words of others, and is thrown at the ingress’s side of a wake alone.
  const others = classes.filter((one) => one !== 'WakeFailed')
  expect(others.length).toBeGreaterThan(4)
  expect(Object.keys(QUOTING)).toEqual(expect.arrayContaining(others))
})

test('what the driver itself throws is one', async () => {
  const socket = connect({ host: '127.0.0.1', port: 9 })
  const [refused] = (await once(socket, 'error')) as [Error]
  expect(databaseFault(refused)).toBe('DATABASE_UNREACHABLE')
  expect(databaseFault(new Error('Connection terminated unexpectedly'))).toBe('DATABASE_UNREACHABLE')
  expect(databaseFault(new Error('timeout exceeded when trying to connect'))).toBe('DATABASE_SLOW')
  expect(databaseFault(new ConnectionLost('closed'))).toBe('DATABASE_UNREACHABLE')
})
